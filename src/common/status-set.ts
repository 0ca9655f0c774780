/**
 * Whether a status is one of those: each a number, or a range such as `200-399` (ends included). One look into a
 * table, as it is asked on the path of every request.
 */
export function statusSet(members: readonly (number | string)[]): (status: number) => boolean {
  const known = new Uint8Array(600);
  for (const member of members) {
    const [from, to] = rangeOf(member);
    known.fill(1, from, to + 1);
  }
  return (status) => known[status] === 1;
}

function rangeOf(member: number | string): [from: number, to: number] {
  const [from, to = from] = String(member).split('-').map(Number);
  return [from!, to!];
}
