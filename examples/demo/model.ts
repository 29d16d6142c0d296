import { type ChatRequest, startModelStandIn } from '../model-stand-in.ts';

/** Who answers the flow's prompts. */
export interface DemoModel {
  /** As a prompt step names it. */
  name: string;
  /** For the person who watches. */
  description: string[];
  /** Whose airports it is asked about: a real model, which takes time and money, about fewer. */
  state: string;
  close: () => Promise<void>;
}

/** What its user can put right. */
export class DemoError extends Error {}

const pricedAs = 'gpt-4.1-nano';

/** The model that the environment names, else a stand-in on this machine. */
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
  const { url, close } = await startModelStandIn({ answer: standInSentence, pieceDelayMs: 60 });
  process.env.GENERIC_OPENAI_BASE_URL = url;
  const description = [
    'A STAND-IN on this machine: no model answers, its sentences are put together from the prompt.',
    `Tokens are estimated and priced as if it were ${pricedAs}.`,
    'Set OPENAI_API_KEY or GENERIC_OPENAI_BASE_URL to have a real model answer.',
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
    throw new Error(`it was answered with ${response.status} and names no model`);
  } catch (error) {
    const { message, cause } = error as Error;
    throw new DemoError(
      `GENERIC_OPENAI_BASE_URL is set, but ${address} could not be asked for a model: ${(cause as Error)?.message || message}.
Start that server, or name the model yourself with DEMO_MODEL, or unset GENERIC_OPENAI_BASE_URL to use a stand-in.`,
    );
  }
}

function standInSentence({ messages }: ChatRequest): string {
  const [airport, place, way] = (messages.at(-1)?.content ?? '')
    .split('\n')
    .map((line) => line.split(': ')[1]);
  return `A stand-in says: ${airport} lies in ${place}. From San Francisco it is ${way}.`;
}
