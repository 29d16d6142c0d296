import { StepError } from '../../core/errors/step-error.ts';
import { askMemoryModel, embedText, type MemoryAccess } from './access.ts';
import { recallInstruction, recallQuestion, type responseLengths } from './prompts.ts';

type ThinkingLevel = 'low' | 'medium' | 'high';
/** How many memories a recall reads. */
const recalledMax = { low: 10, medium: 20, high: 40 };
const questionCharactersMax = 8_000;

export interface Recall {
  question: string;
  thinkingLevel?: ThinkingLevel | undefined;
  responseLength?: keyof typeof responseLengths | undefined;
}

/** Answers a question from the nearest memories; undefined if there are none. @throws StepError */
export async function recallMemory(
  access: MemoryAccess,
  { question, thinkingLevel, responseLength = 'medium' }: Recall,
): Promise<string | undefined> {
  const { ports, profile, session } = access;
  const asked = question.trim();
  if (asked.length === 0 || asked.length > questionCharactersMax) {
    throw new StepError(
      `The query to the memory has 1 to ${questionCharactersMax} characters; this one has ${asked.length}`,
    );
  }
  const memory = await ports.memory.open(profile);
  const { embeddingModel, memoryCount } = memory;
  if (embeddingModel === undefined || memoryCount === 0) return undefined;
  const vector = await embedText(access, embeddingModel, asked);
  const [nearest, summary] = await Promise.all([
    memory.nearest({ vector, session, limit: recalledMax[thinkingLevel ?? 'low'] }),
    memory.summary(session),
  ]);
  if (nearest.length === 0) return undefined;
  const oldestFirst = nearest.toSorted((one, other) => one.createdAt.localeCompare(other.createdAt));
  const prompt = recallQuestion(oldestFirst, summary?.text, asked);
  const instruction = recallInstruction(responseLength);
  return askMemoryModel(access, {
    instruction,
    prompt,
    reasoning: thinkingLevel && { effort: thinkingLevel },
  });
}
