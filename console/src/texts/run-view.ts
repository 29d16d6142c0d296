import type { ReactNode } from 'react';
import { count, plural } from './language.ts';
import { sentence } from './sentence.ts';

export const runViewTexts = {
  prompts: 'Prompts',
  instructionsTemplate: 'Instructions, a template',
  messageOf: (role: unknown) => `Message of the ${role}`,
  summarySince: (time: ReactNode) => sentence`Summary in place of older messages, ${time}`,
  summary: 'Summary',

  aSubAgent: 'a sub-agent',
  subAgent: 'Sub-agent',
  openThisRun: 'Open this run',
  showMoreSubAgents: 'Show more sub-agents',

  waitsFor: (tool: string) => `Waits: ${tool}`,
  mayAgentCall: (tool: ReactNode) => sentence`May the agent call ${tool}?`,
  agentWaitsForOutputOf: (tool: ReactNode) => sentence`The agent waits for the output of ${tool}.`,
  waitEnds: (time: ReactNode) => sentence`The wait ends ${time}`,
  allow: 'Allow',
  deny: 'Deny',
  outputOf: (tool: string) => `Output of ${tool}`,
  jsonOrText: 'JSON. Anything else is sent as text',
  sendOutput: 'Send output',

  question: (question: string) => `Question: ${question}`,
  comment: 'Comment',
  choices: { approve: 'Approve', reject: 'Reject' } as Readonly<Record<string, string>>,
  answered: 'Answered. The run goes on',
  callbackOf: (step: string) => `Callback of ${step}`,
  waitsForRequest: (step: ReactNode) => sentence`${step} waits for a request to this address:`,
  copyAddress: 'Copy address',
  waitOfStep: (step: ReactNode, since: ReactNode, until: ReactNode) =>
    sentence`Step ${step}. Began ${since}, ends ${until}.`,

  asConfigured: 'As configured',
  again: 'Again',
  anotherModel: 'Another model',
  anotherProvider: 'Another provider',
  messageOfFallback: 'The message of the fallback',
  againInRetryOfRun: 'Again, in a retry of the run',
  later: (delay: string) => `, ${delay} later`,
  attempts: (attempts: number) => plural(attempts, { one: '# attempt', other: '# attempts' }),

  tokensInAndOut: (input: number, output: number) => `${count(input)} tokens in, ${count(output)} out`,
  showMoreSteps: (all: number) => `Show more of the ${count(all)} steps`,
  runningStep: (ended: number, all: number) => `Running: ${count(ended)} of ${count(all)} steps`,
  runSucceeded: 'The run succeeded',
  runFailed: 'The run failed',
  runWaits: 'The run waits',
  runStopped: 'The run was stopped',
  notTrue: (condition: string) => `Not true: ${condition}`,
  notRun: 'Not run',
  continuesAt: (time: string) => `It continues in the background at ${time}.`,
  aLaterTime: 'a later time',
  waitsForOutputOfTool: (tool: string) =>
    `It waits for the output of the tool ${tool}, which the caller executes.`,
  followRun: 'Follow the run',

  callApproved: 'The call was approved',
  callDenied: 'The call was denied',
  callTimedOut: 'The call was denied: nobody answered in time',
  answer: 'Answer',
  turn: (number: number) => `Turn ${number}`,
  endedBy: (reason: string) => `ended by ${reason}`,
  fallback: (fallback: string) => `fallback: ${fallback}`,
  reflectionMessage: 'Message to the model: reflect on what was done',
  requiredToolMessage: 'Message to the model: a tool that must be called',
  correctionMessage: 'Message to the model: correct the answer',
  callerMessage: 'Message to the model: from the caller',
  summaryOfOlderMessages: 'Summary in place of older messages',
  finalOutput: 'Final output',
};
