import type { Draft } from '../draft.js';
import { checkAuth } from './auth.js';
import { checkCacheStore } from './cache-store.js';
import { checkExtensions } from './extensions.js';
import { checkLimits } from './limits.js';
import { checkResponses } from './responses.js';
import { checkRoutes } from './routes.js';
import { checkSchemas } from './schemas.js';
import { checkServer } from './server.js';
import { checkTargets } from './targets.js';
import { checkTemplates } from './templates.js';
import { checkTiming } from './timing.js';
import { checkTransforms } from './transforms.js';
import { checkUpstreamTls } from './upstream-tls.js';

const CHECKS: readonly ((draft: Draft) => void)[] = [
  checkServer,
  checkRoutes,
  checkTargets,
  checkUpstreamTls,
  checkTiming,
  checkLimits,
  checkAuth,
  checkTemplates,
  checkTransforms,
  checkResponses,
  checkSchemas,
  checkCacheStore,
  checkExtensions,
];

/** Everything that no key can be judged by alone. */
export function checkAll(draft: Draft): void {
  for (const check of CHECKS) check(draft);
}
