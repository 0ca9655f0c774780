/** Whether the gateway takes traffic: config loaded, listeners open, not draining. */
export interface Readiness {
  ready(): boolean;
}

/** Nest token of the {@link Readiness}. */
export const READINESS = Symbol('Readiness');
