# syntax=docker/dockerfile:1
# Gateway and mock services in one image; which one runs is the entry point (docker-compose.yml). Not alpine: the
# Node that npm brings for the build needs glibc.

FROM node:26-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# The development dependencies bring a Node of their own (for machines with an older one); the prune below
# removes it with the compiler and the test tools.
RUN npm ci
COPY nest-cli.json tsconfig.json tsconfig.build.json ./
COPY src src
COPY mock-services mock-services
RUN npm run build && npm prune --omit=dev && find dist -name '*.map' -delete

FROM node:26-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# Mount a folder with gateway.yml here to run on your own configuration.
COPY config config
USER node
EXPOSE 8080
STOPSIGNAL SIGTERM
# Another port than 8080 in the config: override this check.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/health/live').then((r) => process.exit(r.ok ? 0 : 1))"]
# The flags: docs/decisions/0007-fixed-young-generation.md.
ENTRYPOINT ["node", "--min-semi-space-size=16", "--max-semi-space-size=16", "--no-flush-bytecode", "--no-allocation-site-pretenuring", "dist/src/main.js"]
