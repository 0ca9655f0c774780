import { IsIn } from 'class-validator';

import type { BackendStateName } from '../exchange/gateway-control.js';

/** Body of `PUT /api/upstreams/:name/backends/:id`. */
export class BackendStateBody {
  @IsIn(['active', 'draining'], { message: 'must be active or draining' })
  state!: BackendStateName;
}
