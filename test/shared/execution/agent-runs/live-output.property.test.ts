import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import type { Fact } from '../../../../shared/execution/agent-loop/facts.ts';
import { runLoop } from '../../../../shared/execution/agent-loop/loop.ts';
import { endFact } from '../../../../shared/execution/agent-loop/state.ts';
import { type OutputChunk, openWaitingEvents } from '../../../../shared/execution/agent-runs/live-output.ts';
import { type NumberedEvent, openReplay } from '../../../../shared/execution/agent-runs/run-events.ts';
import { openJournal } from '../../../../shared/execution/agent-runs/run-journal.ts';
import { type LogEntry, loadRun } from '../../../../shared/execution/agent-runs/run-log.ts';
import { appendFacts } from '../../../../shared/execution/agent-runs/take-run.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import { newAgentExecution } from '../../../support/agents/agent-log.ts';
import { countingRuntime } from '../../../support/stack/stack.ts';
import { numRuns } from '../../../support/suite/slow.ts';
import { type AnyRun, anyRun } from '../agent-loop/any-run.ts';
import { messages, openAnswers } from '../agent-loop/drive-run.ts';
import { runWorld } from '../agent-loop/run-world.ts';

const runtime = countingRuntime();
const runs = { numRuns: numRuns(25) };

interface Shown {
  isUnread: boolean;
  /** After so many events a piece is written. Used again from the start. */
  cuts: number[];
  /** How many of the pieces before a fact a reader gets. Used again from the start. */
  read: number[];
}
const anyShown: fc.Arbitrary<Shown> = fc.record({
  isUnread: fc.boolean(),
  cuts: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }),
  read: fc.array(fc.nat(4), { minLength: 1, maxLength: 4 }),
});

/** Runs to the end. @returns the pieces before each fact, and every event with its number. */
async function written(scope: Scope, run: AnyRun, { isUnread, cuts }: Shown) {
  const world = runWorld(run);
  const answers = openAnswers(run.answers);
  const execution = await newAgentExecution(scope);
  const pieces: OutputChunk[] = [];
  const events: NumberedEvent[] = [];
  const signal = new AbortController().signal;
  for (;;) {
    let loaded = await loadRun(scope, execution.id);
    if (loaded.state.end) return { execution: loaded.execution, log: loaded.log, pieces, events };
    while (loaded.state.waits.length > 0)
      loaded = (await appendFacts(scope, loaded, answers(loaded.state.waits))).run;
    const taken = { execution: loaded.execution, log: loaded.log, sentSeq: -1, mayHaveBegun: false };
    const journal = openJournal(scope, taken);
    const numbering = {
      ...journal,
      *numberEvents(event: Parameters<typeof journal.numberEvents>[0]) {
        for (const numbered of journal.numberEvents(event)) {
          events.push(numbered);
          yield numbered;
        }
      },
    };
    const waiting = openWaitingEvents(numbering, isUnread);
    const record = async (facts: readonly Fact[]) => {
      waiting.settle();
      events.push(...(await journal.record(facts)).events);
    };
    let since = 0;
    try {
      for await (const event of runLoop(world.loopWith(signal), journal.load(messages))) {
        if (event.type === 'facts') {
          await record(event.facts);
          continue;
        }
        for (const _event of waiting.add(event, true));
        if (++since < (cuts[pieces.length % cuts.length] as number)) continue;
        since = 0;
        const { seq, events: said } = waiting.take();
        const place = { fact: journal.nextFact(), restarts: 0, n: pieces.length };
        pieces.push({ ...place, seq, at: execution.startedAt, events: JSON.parse(said) });
      }
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      await record([endFact(journal.state(), { stopReason: 'error', error: error.message }, scope.now())]);
    }
  }
}

/** What a reader gets that comes after a number. @param read How many of the pieces before a fact. Used again. */
function readBy({ execution, log, pieces }: Awaited<ReturnType<typeof written>>, read: number[], after = -1) {
  const replay = openReplay(execution);
  let turn = 0;
  const piecesOf = ({ n }: LogEntry) => {
    const some = pieces.filter(({ fact }) => fact === n);
    return some.length > 0 ? some.slice(0, read[turn++ % read.length]) : [];
  };
  const all = log.flatMap((entry) => [...piecesOf(entry).flatMap(replay.addChunk), ...replay.add(entry)]);
  return [replay.start, ...all].filter(({ seq }) => seq > after);
}

const seqsOf = (events: readonly NumberedEvent[]) => events.map(({ seq }) => seq);
const rising = (numbers: number[]) => [...new Set(numbers)].toSorted((a, b) => a - b);
const endsOf = (events: readonly NumberedEvent[]) =>
  events
    .filter(({ event: { type } }) => /^(text|turn|tool)_complete$|^ended$/.test(type))
    .map(({ seq, turnId, event: { type } }) => ({ seq, turnId, type }));
const textsOf = (events: readonly NumberedEvent[]) =>
  new Map(
    [...Map.groupBy(events, ({ turnId }) => turnId)].map(([turnId, ofTurn]) => [
      turnId,
      ofTurn.map(({ event }) => (event.type === 'text_delta' ? event.delta : '')).join(''),
    ]),
  );

/** A fallback that is a message is not streamed. */
const asked = (run: AnyRun): AnyRun => ({
  ...run,
  errorHandling: run.errorHandling && { onError: 'fallback', fallbacks: [{ type: 'retry' }] },
});

test('readers get each event once, in order, and the ends as a caller does, however many pieces they get', async () => {
  const scope = runtime.scopeOf(`user:${randomUUID()}`);
  await fc.assert(
    fc.asyncProperty(anyRun.map(asked), anyShown, async (run, shown) => {
      const said = await written(scope, run, shown);
      const got = readBy(said, shown.read);
      expect(seqsOf(got)).toEqual(rising(seqsOf(got)));
      const isBroken = ({ turnId }: Pick<NumberedEvent, 'turnId'>) =>
        !said.log.some(({ fact }) => fact.type === 'turn' && fact.turnId === turnId);
      const live = new Map(endsOf(said.events).map(({ seq, type }) => [seq, type]));
      for (const each of got.filter((event) => !isBroken(event)))
        expect([each.event.type, undefined]).toContain(live.get(each.seq));
      // The log has nothing of a response that broke off, so only those see its end who saw its beginning.
      const has = ({ turnId }: NumberedEvent, type: string) =>
        got.some(({ turnId: id, event }) => id === turnId && event.type === type);
      for (const each of got.filter(({ event }) => event.type === 'turn_start'))
        expect(has(each, 'turn_complete')).toBe(true);
      for (const each of got.filter(({ event }) => event.type === 'text_start'))
        expect(has(each, 'text_complete')).toBe(true);
      for (const end of endsOf(said.events))
        if (end.type === 'ended' || !isBroken(end)) expect(seqsOf(got)).toContain(end.seq);
    }),
    runs,
  );
}, 60_000);

test('a reader gets the whole text, and one that comes back no part of it twice', async () => {
  const scope = runtime.scopeOf(`user:${randomUUID()}`);
  const unbroken = anyRun.map((run) => ({
    ...run,
    turns: run.turns.map((turn) => ({ ...turn, text: turn.text || 'said', failures: 0 })),
  }));
  await fc.assert(
    fc.asyncProperty(unbroken, anyShown, async (run, shown) => {
      const said = await written(scope, run, shown);
      const texts = textsOf(said.events);
      const got = readBy(said, shown.read);
      const isOfTurn = ([turnId]: [string | undefined, string]) => texts.has(turnId);
      expect([...textsOf(got)].filter(isOfTurn)).toEqual(
        [...texts].filter(([turnId]) => got.some((event) => event.turnId === turnId)),
      );
      for (const [index, { seq }] of got.entries()) {
        const rest = readBy(said, [0], seq);
        expect(seqsOf(rest)).toEqual(rising(seqsOf(rest)));
        for (const [turnId, more] of textsOf(rest)) {
          const before = textsOf(got.slice(0, index + 1)).get(turnId) ?? '';
          expect([texts.get(turnId), before]).toContain(before + more);
        }
      }
    }),
    runs,
  );
}, 60_000);
