import { describe, expect, it } from 'vitest';

import { checkRawHeaders, HeaderList } from './header-list.js';

const list = (): HeaderList =>
  HeaderList.from([
    ['Set-Cookie', 'a=1'],
    ['X-A', '1'],
    ['set-cookie', 'b=2'],
  ]);

describe('HeaderList', () => {
  it('reads without case and keeps lines as they are', () => {
    expect(list().get('SET-COOKIE')).toBe('a=1, b=2');
    expect(list().getAll('set-cookie')).toEqual(['a=1', 'b=2']);
    expect(list().get('x-b')).toBeNull();
    expect([list().has('x-a'), list().has('x-b')]).toEqual([true, false]);
    expect(list().toRaw()).toEqual(['Set-Cookie', 'a=1', 'X-A', '1', 'set-cookie', 'b=2']);
  });

  it('never takes a value for a name', () => {
    expect(HeaderList.from([['x', 'name']]).has('name')).toBe(false);
  });

  it('sets in the place of the first line, appends at the end, deletes all', () => {
    const headers = list();
    headers.set('set-cookie', 'c=3');
    headers.append('X-A', '2');
    headers.set('New', 'n');
    expect([...headers]).toEqual([
      ['Set-Cookie', 'c=3'],
      ['X-A', '1'],
      ['X-A', '2'],
      ['New', 'n'],
    ]);
    headers.delete('x-a');
    expect(headers.toRaw()).toEqual(['Set-Cookie', 'c=3', 'New', 'n']);
  });

  it('is made of maps, with a line for each value, and of lists of its kind', () => {
    const made = HeaderList.from({ a: '1', b: ['2', '3'] });
    expect(made.toRaw()).toEqual(['a', '1', 'b', '2', 'b', '3']);
    const copy = HeaderList.from(made);
    copy.delete('b');
    expect(made.has('b')).toBe(true);
  });

  it.each([
    ['a b', '1'],
    ['', '1'],
    ['a', 'x\r\ny: z'],
    ['a', 'x\0'],
    ['a', undefined as unknown as string],
  ])('refuses %j: %j', (name, value) => {
    expect(() => list().set(name, value)).toThrow(TypeError);
    expect(() => list().append(name, value)).toThrow(TypeError);
    expect(() => HeaderList.from([[name, value]])).toThrow(TypeError);
    expect(() => checkRawHeaders(['a', '1', name, value])).toThrow(TypeError);
    expect(() => checkRawHeaders([name, value, 'a', '1'], 2)).not.toThrow();
  });

  it('refuses a name without its value', () => {
    expect(() => checkRawHeaders(['a'])).toThrow(TypeError);
  });
});
