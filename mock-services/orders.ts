import { json, type MockDefinition, type MockRequest, received } from './mock-service.js';

const ORDERS = [
  { id: 1001, user: 1, total: '12.50', status: 'shipped' },
  { id: 1002, user: 2, total: '99.00', status: 'open' },
];

export const orders: MockDefinition = {
  name: 'orders',
  port: 8082,
  handle(request, response) {
    const { pathname } = request.url;
    if (pathname === '/') return json(response, 200, answer(request, { orders: ORDERS }));
    const id = /^\/(\d+)$/.exec(pathname)?.[1];
    if (id === undefined) return undefined;
    const order = ORDERS.find((one) => one.id === Number(id));
    return json(response, order ? 200 : 404, answer(request, { order: order ?? null }));
  },
};

function answer(request: MockRequest, content: object): object {
  return { service: 'orders', ...content, received: received(request) };
}
