export const PROGRAMS: readonly {
  readonly program: string;
  readonly package: string;
  readonly neededBy: readonly string[];
}[];
export function isInstalled(program: string): boolean;
export function missing(program: string): string | false;
