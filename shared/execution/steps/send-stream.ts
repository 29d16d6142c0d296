import { StepError } from '../../core/errors/step-error.ts';
import { readPath } from '../../core/json/json.ts';
import { sendStreamStep, streamEvents } from '../../domain/flows/step-types/send-stream.ts';
import { defineFreeRunner } from '../step-support/step-runner.ts';

export const sendStreamRunner = defineFreeRunner(sendStreamStep, {
  async run({ config: { sourceVariable, streamType = 'text' }, variables, emit }) {
    const value = readPath(variables, sourceVariable);
    if (value === undefined) throw new StepError(`The variable ${sourceVariable} is not set`);
    if (emit) for (const event of streamEvents[streamType](value)) await emit(event);
    return { output: value };
  },
});
