import { expect, test } from 'vitest';
import { runForLong } from '../../support/agents/long-run.ts';

test('1,000 turns and 3,000 tool calls, killed five times: each turn costs the same, and no call is made twice', async () => {
  const { execution, log, load, rest, before } = await runForLong({ turns: 1_000, kills: 5 });
  expect(execution).toMatchObject({ status: 'completed', iterations: 1_000 });
  const results = log.flatMap(({ fact }) => (fact.type === 'result' && !fact.failed ? [fact.callId] : []));
  expect(new Set(results).size).toBe(results.length);
  const turns = log.filter(({ fact }) => fact.type === 'turn').length;
  const turnsBefore = before.filter(({ fact }) => fact.type === 'turn').length;
  const [early] = [await runForLong({ turns: 60, kills: 0 })];
  const perTurn = (cost: number, count: number) => cost / count;
  const late = {
    requests: perTurn(rest.requests, turns - turnsBefore),
    units: perTurn(rest.units, turns - turnsBefore),
  };
  const first = { requests: perTurn(early.rest.requests, 60), units: perTurn(early.rest.units, 60) };
  expect(late.requests).toBeLessThanOrEqual(1.3 * first.requests);
  expect(late.units).toBeLessThanOrEqual(1.3 * first.units);
  // The execution, the head of the log, and what follows its last state.
  expect(load.requests).toBeLessThanOrEqual(5);
}, 600_000);
