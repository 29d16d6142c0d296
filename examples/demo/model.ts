import { type ChatRequest, lastText, startModelStandIn } from '../model-stand-in.ts';
import { standInAgent } from './agent.ts';
import { DemoError } from './demo-error.ts';

/** The model that responds to the flow's prompts. */
export interface DemoModel {
  /** Its name in a prompt step. */
  name: string;
  /** Lines for the terminal. */
  description: string[];
  /** The state whose airports the flow runs on: one with fewer airports for a real model, which takes time and money. */
  state: string;
  close: () => Promise<void>;
}

const pricedAs = 'gpt-4.1-nano';

/** The model from the environment variables, else a stand-in on this machine. */
export async function chooseModel(): Promise<DemoModel> {
  const { GENERIC_OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY, DEMO_MODEL } = process.env;
  const real = { state: 'NV', close: async () => {} };
  if (baseUrl) {
    const id = DEMO_MODEL || (await firstModelOf(baseUrl));
    return { ...real, name: `generic-openai/${id}`, description: [`${id} at ${baseUrl}`] };
  }
  if (OPENAI_API_KEY) {
    const id = DEMO_MODEL || pricedAs;
    return { ...real, name: `openai/${id}`, description: [`${id} of OpenAI`] };
  }
  const { url, close } = await startModelStandIn({ answer: standInAnswer, pieceDelayMs: 60 });
  process.env.GENERIC_OPENAI_BASE_URL = url;
  const description = [
    'A STAND-IN on this machine. It is not a language model; it builds its sentences from the prompt.',
    `Token counts are estimates, priced like ${pricedAs}.`,
    'To use a real model, set OPENAI_API_KEY or GENERIC_OPENAI_BASE_URL.',
  ];
  return { name: `generic-openai/${pricedAs}`, description, state: 'CA', close };
}

async function firstModelOf(baseUrl: string): Promise<string> {
  const { GENERIC_OPENAI_API_KEY: key } = process.env;
  const address = `${baseUrl.replace(/\/$/, '')}/models`;
  try {
    const response = await fetch(address, {
      headers: key ? { authorization: `Bearer ${key}` } : {},
      signal: AbortSignal.timeout(5_000),
    });
    const { data } = (await response.json()) as { data?: { id: string }[] };
    const id = data?.[0]?.id;
    if (id) return id;
    throw new Error(`the response (${response.status}) lists no model`);
  } catch (error) {
    const { message, cause } = error as Error;
    throw new DemoError(
      `GENERIC_OPENAI_BASE_URL is set, but ${address} did not return a model: ${(cause as Error)?.message || message}.
Start that server, set DEMO_MODEL to the name of a model, or unset GENERIC_OPENAI_BASE_URL to use a stand-in.`,
    );
  }
}

/** Only the agent has tools. */
const standInAnswer = (request: ChatRequest) =>
  request.tools ? standInAgent(request) : standInSentence(request);

function standInSentence(request: ChatRequest): string {
  const [airport, place, way] = lastText(request)
    .split('\n')
    .map((line) => line.split(': ')[1]);
  return `The stand-in writes: ${airport} is in ${place}. From San Francisco it is ${way}.`;
}
