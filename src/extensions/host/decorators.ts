import 'reflect-metadata';

import {
  type CanActivate,
  Inject,
  Injectable,
  type InjectionToken,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';

import { define, type ExtensionKind } from './definition.js';

/** Nest token of the options of one use: an instance of the class that the decorator names. */
export const GATEWAY_OPTIONS = Symbol.for('nexus-gateway:options');

export interface ExtensionOptions {
  /**
   * The class of its options, with class-validator's decorators on its fields, whose initial values are the defaults.
   * Without one the extension takes no options.
   */
  readonly options?: Type<object>;
  /** The tokens of the constructor's arguments, where these carry no decorators (JavaScript, stripped types). */
  readonly inject?: readonly InjectionToken[];
}

/** Makes a Nest guard known to the document under a name: `guards: [name]`. */
export function GatewayGuard(name: string, settings: ExtensionOptions = {}) {
  return (type: Type<CanActivate>): void => register('guard', name, type, settings);
}

/** Makes a Nest interceptor known to the document under a name: `interceptors: [name]`. */
export function GatewayInterceptor(name: string, settings: ExtensionOptions = {}) {
  return (type: Type<NestInterceptor>): void => register('interceptor', name, type, settings);
}

const NAME = /^[A-Za-z0-9][\w.-]*$/;
const METHOD = { guard: 'canActivate', interceptor: 'intercept' } as const;

function register(
  kind: ExtensionKind,
  name: string,
  type: Type<CanActivate> | Type<NestInterceptor>,
  { options, inject = [] }: ExtensionOptions,
): void {
  if (!NAME.test(name)) throw new TypeError(`${JSON.stringify(name)} is no name for a ${kind}`);
  if (typeof Reflect.get(type.prototype as object, METHOD[kind]) !== 'function') {
    throw new TypeError(`${type.name} is no ${kind}: it has no method ${METHOD[kind]}`);
  }
  Injectable()(type);
  for (const [index, token] of inject.entries()) Inject(token)(type, undefined, index);
  define({ kind, name, type, options: options ?? null });
}
