import { expect, test, vi } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { countingRuntime } from '../../support/stack/stack.ts';
import { storedDelivery, webhookSurface } from '../../support/surfaces/deliveries.ts';

const count = 200;

test('200 deliveries to a silent receiver neither hold up those of others, nor get lost', async () => {
  const [silent, other] = await Promise.all([webhookSurface({ answers: 'silent' }), webhookSurface()]);
  const scope = countingRuntime().scopeOf(silent.tenant.tenant);
  const stored = await Promise.all(Array.from({ length: count }, () => storedDelivery(scope, silent.place)));
  await Promise.all(stored.map(({ notice }) => notice.send()));
  const began = performance.now();
  await expectStatus(200, other.run());
  await other.got();
  // Without a bound, they hold all places for half a minute at least.
  expect(performance.now() - began).toBeLessThan(14_000);
  // Those that found no place ask again: the receiver sees more than both places hold.
  await vi.waitFor(async () => expect((await silent.received()).length).toBeGreaterThan(20), {
    timeout: 60_000,
    interval: 300,
  });
  await expectStatus(200, silent.tenant.call('DELETE', silent.path));
}, 120_000);
