import { llm } from './llm.js';
import type { MockDefinition } from './mock-service.js';
import { orders } from './orders.js';
import { users } from './users.js';

export const MOCKS: readonly MockDefinition[] = [users, orders, llm];
