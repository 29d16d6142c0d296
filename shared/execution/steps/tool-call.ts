import { toolCallStep } from '../../domain/flows/step-types/tool-call.ts';
import { defineStepRunner } from '../step-support/step-runner.ts';
import { openTools } from '../tools/open-tools.ts';

export const toolCall = defineStepRunner(toolCallStep, {
  async run({ config: { toolId, parameters = {} }, renderValue, ports, signal }) {
    // Permissions are checked when the flow is saved or, for an inline flow, before the run.
    const [tool] = await openTools(ports, [toolId], { permissions: null });
    const outcome = await tool?.run(await renderValue(parameters), signal);
    if (!outcome) throw new Error('The tool was not opened');
    return outcome;
  },
});
