import { toolCallStep } from '../../domain/flows/step-types/tool-call.ts';
import { defineStepRunner } from '../step-support/step-runner.ts';
import { openTools } from '../tools/open-tools.ts';

export const toolCall = defineStepRunner(toolCallStep, {
  async run({ config: { toolId, parameters = {} }, renderValue, ports, signal }) {
    // Permissions are checked when the flow is saved or, for an inline flow, before the run.
    const [tool] = await openTools(ports, [toolId], { permissions: null });
    if (!tool) throw new Error('The tool was not opened');
    const args = await renderValue(parameters);
    const outcome = await tool.run(args, signal);
    return 'awaitsCaller' in outcome ? { awaitsCaller: { toolName: tool.name, parameters: args } } : outcome;
  },
});
