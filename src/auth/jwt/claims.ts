/** A token's payload: null-prototype objects, frozen through and through. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * Makes claims safe to hand around, in place: nothing can be changed in them, no name finds anything but a claim, and
 * there is no `__proto__` that a careless copy would make the prototype of something. A loop, no recursion: claims may
 * be nested as deep as a header line is long.
 */
export function freezeClaims(payload: object): Claims {
  const open: object[] = [payload];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (!Array.isArray(value)) {
      Reflect.deleteProperty(value, '__proto__');
      Object.setPrototypeOf(value, null);
    }
    for (const inner of Object.values(value)) {
      if (typeof inner === 'object' && inner !== null) open.push(inner as object);
    }
    Object.freeze(value);
  }
  return payload as Claims;
}

/**
 * The claim of that name, or else the one at the end of the dotted path; undefined when there is none. The whole name
 * goes first, as names of claims may be urls.
 */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  if (!path.includes('.')) return undefined;
  let value: unknown = claims;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Reflect.get(value, name);
  }
  return value;
}
