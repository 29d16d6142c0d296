// LangGraph's agent with its checkpointer for Postgres. Needs MODEL_URL and POSTGRES_URL.
import { randomUUID } from 'node:crypto';
import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { ChatOpenAI } from '@langchain/openai';
import * as z from 'zod';
import { serveRuns } from './serve-runs.mts';
import { calculate, check, description, instructions, question } from './task.mjs';

const checkpointer = PostgresSaver.fromConnString(process.env.POSTGRES_URL);
await checkpointer.setup();
const llm = new ChatOpenAI({
  model: 'any',
  apiKey: 'none',
  useResponsesApi: false,
  configuration: { baseURL: process.env.MODEL_URL },
});
const schema = z.object({ expression: z.string() });
const calculator = tool(calculate, { name: 'calculator', description, schema });
const agent = createReactAgent({
  llm,
  tools: [calculator],
  prompt: instructions,
  checkpointSaver: checkpointer,
});
serveRuns(async () => {
  const { messages } = await agent.invoke(
    { messages: [{ role: 'user', content: question }] },
    // As this service does: what happened is stored before the next step begins.
    { configurable: { thread_id: randomUUID() }, durability: 'sync' },
  );
  check(messages.filter((message) => message.getType() === 'ai').length, messages.at(-1).content);
});
