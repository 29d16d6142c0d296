import fc from 'fast-check';
import type { ErrorHandling } from '../../../../shared/domain/flows/steps/error-handling.ts';

/** Runs of the agent loop that fast-check makes up. */

export const toolNames = ['safe', 'effect', 'failing', 'gated', 'local', 'gated_local'] as const;

interface AnyCall {
  name: string;
  /** Undefined: the model wrote no JSON. */
  input: unknown;
}

export interface AnyTurn {
  text: string;
  reasoning: string;
  calls: AnyCall[];
  /** How often the model fails before it responds. */
  failures: number;
  /** What is done before the turn. */
  before: ('note' | 'compaction')[];
}

export interface AnyRun {
  turns: AnyTurn[];
  turnsMax: number;
  callsMax: number;
  effectsMax: number | undefined;
  toolChoice: 'auto' | 'required' | 'none' | undefined;
  requiredTools: string[];
  errorHandling: ErrorHandling | undefined;
  hasContext: boolean;
  /** How waits are answered: which one first, and with what. Used again from the start. */
  answers: { place: number; decision: 'approved' | 'denied' | 'timeout'; more: boolean }[];
}

const anyCall: fc.Arbitrary<AnyCall> = fc.record({
  name: fc.constantFrom(...toolNames, 'unknown'),
  input: fc.oneof({ weight: 5, arbitrary: fc.record({ n: fc.nat(9) }) }, fc.constant(undefined)),
});

const anyTurn: fc.Arbitrary<AnyTurn> = fc.record({
  text: fc.constantFrom('', 'one two three', 'done'),
  reasoning: fc.constantFrom('', 'so it is'),
  calls: fc.array(anyCall, { maxLength: 4 }),
  failures: fc.constantFrom(0, 0, 0, 1, 2),
  before: fc.subarray(['note', 'compaction'] as const).map((each) => [...each]),
});

export const anyRun: fc.Arbitrary<AnyRun> = fc.record({
  turns: fc.array(anyTurn, { minLength: 1, maxLength: 6 }),
  turnsMax: fc.integer({ min: 1, max: 6 }),
  callsMax: fc.integer({ min: 1, max: 12 }),
  effectsMax: fc.option(fc.nat(3), { nil: undefined }),
  toolChoice: fc.constantFrom(undefined, 'auto', 'required', 'none'),
  requiredTools: fc.subarray(['effect', 'gated', 'safe']),
  errorHandling: fc.constantFrom(
    undefined,
    { onError: 'fallback', fallbacks: [{ type: 'retry' }] },
    { onError: 'fallback', fallbacks: [{ type: 'retry' }, { type: 'message', message: 'instead' }] },
  ),
  hasContext: fc.boolean(),
  answers: fc.array(
    fc.record({
      place: fc.nat(5),
      decision: fc.constantFrom('approved', 'approved', 'denied', 'timeout'),
      more: fc.boolean(),
    }),
    { minLength: 1, maxLength: 5 },
  ),
});

/** Where a process dies: after so many events of its loop; and whether it recorded the last ones. */
export interface ProcessDeath {
  afterEvents: number;
  isRecorded: boolean;
}

export const anyDeaths: fc.Arbitrary<ProcessDeath[]> = fc.array(
  fc.record({ afterEvents: fc.integer({ min: 1, max: 25 }), isRecorded: fc.boolean() }),
  { maxLength: 4 },
);
