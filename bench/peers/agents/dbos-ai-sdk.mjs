// A workflow of DBOS around the AI SDK’s loop: each call of the model and of the tool is a step. Needs MODEL_URL and POSTGRES_URL.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } from 'ai';
import { serveRuns } from './serve-runs.mts';
import { calculate, check, description, instructions, question } from './task.mjs';

DBOS.setConfig({
  name: 'bench',
  systemDatabaseUrl: process.env.POSTGRES_URL,
  runAdminServer: false,
  logLevel: 'error',
});
const model = wrapLanguageModel({
  model: createOpenAICompatible({ name: 'bench', baseURL: process.env.MODEL_URL })('any'),
  middleware: {
    specificationVersion: 'v4',
    wrapGenerate: ({ doGenerate }) => DBOS.runStep(async () => doGenerate(), { name: 'model' }),
  },
});
const properties = { expression: { type: 'string' } };
const calculator = tool({
  description,
  inputSchema: jsonSchema({ type: 'object', properties, required: ['expression'] }),
  execute: (input) => DBOS.runStep(() => calculate(input), { name: 'calculator' }),
});
const answer = DBOS.registerWorkflow(
  async (prompt) => {
    const { steps, text } = await generateText({
      model,
      system: instructions,
      prompt,
      stopWhen: stepCountIs(5),
      tools: { calculator },
    });
    return { turns: steps.length, text };
  },
  { name: 'answer' },
);
await DBOS.launch();
serveRuns(async () => {
  const { turns, text } = await answer(question);
  check(turns, text);
});
