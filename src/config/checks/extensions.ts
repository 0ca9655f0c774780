import { nearest } from '../../common/edit-distance.js';
import type { Draft } from '../draft.js';

/** Guards and interceptors of the team's own must be registered under the names that routes use. */
export function checkExtensions(draft: Draft): void {
  const { registered, routes } = draft;
  if (!registered) return;
  for (const route of routes) {
    for (const key of ['guards', 'interceptors'] as const) {
      for (const [index, { name }] of route[key].entries()) {
        if (!registered[key].includes(name)) refuse(draft, route[key], index, name, registered[key]);
      }
    }
  }
}

function refuse(
  { report }: Draft,
  list: object,
  index: number,
  name: string,
  known: readonly string[],
): void {
  const near = nearest(name, known);
  const all = known.length > 0 ? `expected one of ${known.join(', ')}` : 'expected none: none is registered';
  report.at(
    list,
    index,
    `${JSON.stringify(name)} is not registered, ${near ? `did you mean ${near}?` : all}`,
  );
}
