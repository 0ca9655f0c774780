import { npmRival } from './npm-rival.mjs';

export const httpProxyMiddleware = () => npmRival({ id: 'http-proxy-middleware' });
