import { EditsConfig } from '../config/response.config.js';
import type { TemplateContext } from './template.js';

/** Edits with what is given. */
export function editsOf(given: Partial<EditsConfig>): EditsConfig {
  return Object.assign(new EditsConfig(), given);
}

/** An exchange as templates see it. */
export function contextOf(given: Partial<TemplateContext> = {}): TemplateContext {
  return { id: 'r-1', clientIp: '192.0.2.1', identity: null, params: {}, ...given };
}
