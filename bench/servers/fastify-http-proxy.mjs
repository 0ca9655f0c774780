import { npmRival } from './npm-rival.mjs';

export const fastifyHttpProxy = () => npmRival({ id: 'fastify-http-proxy', name: '@fastify/http-proxy' });
