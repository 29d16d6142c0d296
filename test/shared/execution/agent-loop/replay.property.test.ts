import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Fact } from '../../../../shared/execution/agent-loop/facts.ts';
import { apply, createInitialState, replay } from '../../../../shared/execution/agent-loop/state.ts';
import { numRuns } from '../../../support/suite/slow.ts';
import { anyDeaths, anyRun } from './any-run.ts';
import { drive, messages } from './drive-run.ts';

const runs = { numRuns: numRuns(400) };
const timeoutMs = 60_000;

const turnsIn = (facts: readonly Fact[]) => facts.filter(({ type }) => type === 'turn').length;

test(
  'the facts of a run, up to any turn, give the state that the run had there',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async (run) => {
        const { facts, seen, ended } = await drive(run);
        for (const state of seen) {
          // The state before a turn is that after some of the facts, of which its turns are a part.
          const candidates = facts.keys().filter((n) => turnsIn(facts.slice(0, n)) === state.turns);
          const states = [...candidates, facts.length].map((n) => replay(messages, facts.slice(0, n)));
          expect(states).toContainEqual(state);
        }
        for (const { facts: count, state } of ended) {
          expect(replay(messages, facts.slice(0, count))).toEqual(state);
        }
      }),
      runs,
    );
  },
  timeoutMs,
);

test(
  'facts never change the states before them, and a state after some of them goes on as one after all',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async (run) => {
        const { facts } = await drive(run);
        const states = [createInitialState(messages)];
        const then = [structuredCloneOf(states[0])];
        for (const fact of facts) {
          states.push(apply(states.at(-1) as (typeof states)[0], fact));
          then.push(structuredCloneOf(states.at(-1)));
        }
        expect(states.map(structuredCloneOf)).toEqual(then);
        expect(replay(messages, facts)).toEqual(states.at(-1));
      }),
      runs,
    );
  },
  timeoutMs,
);

test(
  'a run whose processes die anywhere ends; no call that is not repeatable runs twice, and none without its approval',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, anyDeaths, async (run, deaths) => {
        const { facts, begun } = await drive(run, deaths);
        expect(facts.at(-1)?.type).toBe('end');
        const effects = begun.filter(({ name }) => name !== 'safe').map(({ callId }) => callId);
        expect(new Set(effects).size).toBe(effects.length);
        for (const { name, callId } of begun) {
          expect(name).not.toMatch(/local$/);
          const decision = facts.find((fact) => fact.type === 'decision' && fact.callId === callId);
          if (name === 'gated') expect(decision).toMatchObject({ decision: 'approved' });
        }
        const results = facts.flatMap((fact) => (fact.type === 'result' ? [fact.callId] : []));
        expect(new Set(results).size).toBe(results.length);
      }),
      runs,
    );
  },
  timeoutMs,
);

/** Without the identity of its parts. */
const structuredCloneOf = (state: unknown): string =>
  JSON.stringify(state, (_key, value) => (value instanceof Map ? [...value] : value));
