import type { FlowStep } from '../../domain/flows/steps/step.ts';
import type { StepOutcome } from '../step-support/step-runner.ts';
import type { History } from './history.ts';
import type { ForecastStep } from './step-forecasts.ts';

export interface Guesses {
  /** An output that the step gave before, of the same record if there is one; else a text as long as it is expected. */
  guess: (step: FlowStep, recordId: string, forecast: ForecastStep) => Promise<StepOutcome>;
}

const charactersPerToken = 3.5;

export function openGuesses(history: History): Guesses {
  let next = 0;
  return {
    async guess({ id, type, config }, recordId, { expected }) {
      const past = history.get(id) ?? [];
      const pastResult =
        past.find((result) => result.recordId === recordId) ?? past[next++ % Math.max(1, past.length)];
      if (pastResult) return { output: await pastResult.output() };
      if (type !== 'prompt' || typeof config.responseFormat === 'object') return { output: {} };
      return { output: 'x'.repeat(Math.round((expected?.output ?? 0) * charactersPerToken)) };
    },
  };
}
