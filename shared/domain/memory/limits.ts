import { StepError } from '../../core/errors/step-error.ts';

const profileCharactersMax = 255;
export const memoryCharactersMax = 8_000;
export const memoriesMax = 10_000;

/** The name of a profile or a session. @throws StepError */
export function parseMemoryName(what: 'profile' | 'session', text: string): string {
  const name = text.trim();
  if (name.length > 0 && name.length <= profileCharactersMax) return name;
  throw new StepError(
    `The name of a ${what} has 1 to ${profileCharactersMax} characters; this one has ${name.length}`,
  );
}

/** The text of a memory. @throws StepError */
export function parseMemory(text: string): string {
  const memory = text.trim();
  if (memory.length > 0 && memory.length <= memoryCharactersMax) return memory;
  throw new StepError(
    `A memory has 1 to ${memoryCharactersMax} characters; this one has ${memory.length}. Save its facts one by one`,
  );
}
