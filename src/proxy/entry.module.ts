import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';

import { GatewayEntry } from './gateway-entry.js';
import { Listener } from './listener.js';
import { ParserRefusals } from './parser-refusals.js';

/** Where requests come in. Apart from ProxyModule because the snapshot stands between the two. */
@Module({
  providers: [
    GatewayEntry,
    Listener,
    {
      provide: ParserRefusals,
      useFactory: (entry: GatewayEntry) => new ParserRefusals(entry),
      inject: [GatewayEntry],
    },
  ],
  exports: [Listener, GatewayEntry],
})
export class EntryModule {
  /** With the modules that export ActiveExchanges and EXCHANGE_OBSERVERS. */
  static with(imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return { module: EntryModule, imports };
  }
}
