import { advisorTool } from '../../../domain/tools/tool-types/advisor.ts';
import { askAdvisor } from '../../tool-support/ask-advisor.ts';
import { defineToolRunner } from '../../tool-support/tool-runner.ts';

export const advisor = defineToolRunner(advisorTool, {
  async run({ config, args, ports, signal }) {
    return { output: await askAdvisor({ ...config, question: questionIn(args) }, { ports, signal }) };
  },
  repeatable: () => true,
  preview: ({ config: { model }, args }) => ({ model, question: questionIn(args) }),
});

/** The argument `question`, else all arguments as JSON. */
const questionIn = (args: Record<string, unknown>) =>
  typeof args.question === 'string' && Object.keys(args).length === 1 ? args.question : JSON.stringify(args);
