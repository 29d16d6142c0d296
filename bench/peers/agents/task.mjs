/** What each agent is, and is asked. */
export const question = 'What is six times seven?';
export const instructions = 'You are a helpful assistant. Use your tools.';
export const description = 'Calculates exactly';
export const calculate = async () => ({ result: '42', number: 42 });

export function check(turns, text) {
  if (turns !== 2 || !text?.startsWith('The answer is 42'))
    throw new Error(`The run had ${turns} turns and ended with ${text}`);
}
