import { json, type MockDefinition, type MockRequest, received } from './mock-service.js';

const USERS = [
  { id: 1, name: 'Ada Lovelace' },
  { id: 2, name: 'Grace Hopper' },
  { id: 3, name: 'Edsger Dijkstra' },
];

export const users: MockDefinition = {
  name: 'users',
  port: 8081,
  handle(request, response) {
    const { pathname } = request.url;
    if (pathname === '/' && request.method === 'GET')
      return json(response, 200, answer(request, { users: USERS }));
    if (pathname === '/profile') return json(response, 200, answer(request, { user: USERS[0] }));
    const id = /^\/(\d+)$/.exec(pathname)?.[1];
    if (id === undefined) return undefined;
    const user = USERS.find((one) => one.id === Number(id));
    return json(response, user ? 200 : 404, answer(request, { user: user ?? null }));
  },
};

function answer(request: MockRequest, content: object): object {
  return { service: 'users', ...content, received: received(request) };
}
