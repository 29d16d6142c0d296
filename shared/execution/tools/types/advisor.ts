import { advisorTool } from '../../../domain/tools/tool-types/advisor.ts';
import { askAdvisor } from '../../tool-support/ask-advisor.ts';
import { defineToolRunner } from '../../tool-support/tool-runner.ts';

export const advisorToolRunner = defineToolRunner(advisorTool, {
  plan: ({ config, args }) => ({
    request: { ...config, question: getQuestion(args) },
    models: [config.model],
  }),
  perform: async (request, { ports, signal }) => ({ output: await askAdvisor(request, { ports, signal }) }),
  repeatable: () => true,
  shown: ({ model, question }) => ({ model, question }),
});

/** The argument `question`, else all arguments as JSON. */
const getQuestion = (args: Record<string, unknown>) =>
  typeof args.question === 'string' && Object.keys(args).length === 1 ? args.question : JSON.stringify(args);
