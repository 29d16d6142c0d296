import { toolCallStep } from '../../domain/flows/step-types/tool-call.ts';
import { readBuiltinId } from '../../domain/flows/steps/tool-reference.ts';
import { defineActingRunner } from '../step-support/step-runner.ts';
import { callTool, isOfCaller } from '../tools/call-tool.ts';
import { checkedBefore } from '../tools/open-configured-tools.ts';
import { openTools } from '../tools/open-tools.ts';

export const toolCallRunner = defineActingRunner(toolCallStep, {
  async plan({ config: { toolId, parameters = {} }, renderValue, ports }) {
    const isStored = readBuiltinId(toolId) === undefined;
    const definition = isStored ? (await ports.tools.find([toolId])).get(toolId) : undefined;
    return { request: { toolId, definition, args: await renderValue(parameters) } };
  },

  async perform({ toolId, args }, { ports, signal, act }) {
    const [tool] = await openTools(ports, [toolId], checkedBefore);
    if (!tool) throw new Error('The tool was not opened');
    const outcome =
      tool.repeatable || isOfCaller(tool)
        ? await callTool(tool, args, signal)
        : await act({ toolId, args }, (id) => callTool(tool, args, signal, { id, emit: () => {} }));
    return 'awaitsCaller' in outcome ? { awaitsCaller: { toolName: tool.name, parameters: args } } : outcome;
  },
});
