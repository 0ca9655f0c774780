import { NODE_FLAGS } from './nexus.mjs';
import { npmRival } from './npm-rival.mjs';

export const fastGateway = () => npmRival({ id: 'fast-gateway' });

/** With the node flags that the gateway recommends for itself: anybody may have those. */
export const fastGatewayTuned = () =>
  npmRival({
    id: 'fast-gateway-tuned',
    name: 'fast-gateway',
    label: "fast-gateway, the gateway's node flags",
    program: 'fast-gateway',
    flags: NODE_FLAGS,
  });
