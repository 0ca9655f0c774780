import { type TestGateway } from './gateway.js';
import { waitFor } from './wait.js';

/** Waits until nothing is under way: what the gauges count must come back to 0, whatever happened before. */
export async function untilAtRest(gateway: Pick<TestGateway, 'get'>, timeoutMs = 3_000): Promise<void> {
  let busy: string[] = [];
  await waitFor(
    async () => {
      busy = busyGauges((await gateway.get('/metrics')).text);
      return busy.length === 0;
    },
    () => `gauges at 0; still: ${busy.join(', ')}`,
    { timeoutMs, intervalMs: 20 },
  );
}

function busyGauges(metrics: string): string[] {
  const gauges = metrics.match(/^gateway_(?:active_requests|backend_in_flight)\b.* \S+$/gm) ?? [];
  if (gauges.length < 2) throw new Error('the gauges are missing');
  return gauges.filter((line) => !line.endsWith(' 0'));
}
