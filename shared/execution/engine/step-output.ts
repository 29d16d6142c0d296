import { StepError } from '../../core/errors/step-error.ts';
import { characterCount } from '../../core/json/json-texts.ts';
import { isDeeperThan, nestingLevelsMax } from '../../core/json/nesting.ts';
import type { EngineState } from './engine.ts';

/** @throws StepError if the output is too large or too deep. */
export function takeOutput(state: EngineState, output: unknown): void {
  checkOutput(output);
  state.characters += checkedCharacters(output, charactersMax - state.characters);
}

/** A record may have 100 levels of metadata, and a step may return it inside a list or an object. */
const outputLevelsMax = nestingLevelsMax + 10;

/** @throws StepError if a sandbox, a template, the table or a response could not take the output. */
function checkOutput(output: unknown): void {
  if (!isDeeperThan(outputLevelsMax, output)) return;
  throw new StepError(
    `The output is nested more than ${outputLevelsMax} levels deep; return a flatter value`,
  );
}

/** The limit for all outputs of a run together: they stay in memory until its end. */
const charactersMax = 100_000_000;

function checkedCharacters(output: unknown, left: number): number {
  const characters = characterCount(output, left);
  if (characters <= left) return characters;
  throw new StepError(
    `The outputs of the run have more than ${charactersMax} characters together; return less from the steps`,
  );
}
