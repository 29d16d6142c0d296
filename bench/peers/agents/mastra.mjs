// Mastra's durable agent with its storage in LibSQL, which is a file. Needs MODEL_URL and DATA_DIR.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { LibSQLStore } from '@mastra/libsql';
import * as z from 'zod';
import { serveRuns } from './serve-runs.mts';
import { calculate, check, description, instructions, question } from './task.mjs';

const calculator = createTool({
  id: 'calculator',
  description,
  inputSchema: z.object({ expression: z.string() }),
  execute: calculate,
});
const mastra = new Mastra({
  agents: {
    bench: new Agent({
      id: 'bench',
      name: 'Bench',
      instructions,
      model: createOpenAICompatible({ name: 'bench', baseURL: process.env.MODEL_URL })('any'),
      tools: { calculator },
      durable: true,
    }),
  },
  storage: new LibSQLStore({ id: 'bench', url: `file:${process.env.DATA_DIR}/mastra.db` }),
  logger: false,
  // Without this, a run that its process has begun is not stored before it waits or ends.
  recovery: { durableAgents: 'auto' },
});
const agent = mastra.getAgent('bench');
serveRuns(async () => {
  const { steps, text } = await agent.generate(question, { maxSteps: 5 });
  check(steps.length, text);
});
