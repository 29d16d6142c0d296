import type { ReactNode } from 'react';
import { countText, plural } from './language.ts';
import { sentence } from './sentence.ts';

export const inboxTexts = {
  questions: 'Questions',
  filters: 'Filters',
  statuses: { open: 'Open', answered: 'Answered', expired: 'Expired' },
  allKinds: 'All kinds',
  kinds: {
    approval: 'Approval',
    'tool-approval': 'Tool approval',
    callback: 'Callback',
    'local-tool': 'Tool output',
  },
  overdue: 'Overdue',
  claimedByMe: 'Claimed by me',
  /** Read after the number of questions, beside the link to them. */
  openQuestions: 'open questions',
  overdueCount: (overdue: string) => `${overdue} overdue`,

  nothingWaits: 'Nothing waits for you',
  aboutInbox:
    'Here is what runs wait for: approvals of flows, calls of tools that an agent may not make by itself, and requests from other systems.',
  nothingMatches: 'No questions match',
  showAllOpen: 'Show all that are open',
  backToList: 'All questions',
  position: (place: number, all: string) => `${countText(place)} of ${all}`,
  countOf: (loaded: number, more: boolean) => `${countText(loaded)}${more ? '+' : ''}`,

  asked: (time: ReactNode) => sentence`Asked ${time}`,
  expires: (time: ReactNode) => sentence`expires ${time}`,
  expired: (time: ReactNode) => sentence`expired ${time}`,
  reminded: (time: ReactNode) => sentence`reminded ${time}`,
  askedOf: (emails: string) => `Asked: ${emails}`,
  item: (key: string) => `Item ${key}`,
  openTrace: 'Open the trace of the run',

  claim: 'Claim',
  release: 'Release',
  claimed: 'Claimed',
  claimedByYou: 'Claimed by you',
  claimedBy: (who: ReactNode) => sentence`Claimed by ${who}`,
  remind: 'Remind',
  remindedNow: 'A reminder is on its way',
  reassign: 'Ask others',
  reassignTitle: 'Who is asked?',
  emails: 'Email addresses',
  emailsHelp: 'One in a line. Whoever was not asked yet gets a link. The others are not asked any more.',
  ask: 'Ask',
  othersAreAsked: 'They are asked',

  waitsForOutput: (tool: ReactNode) => sentence`The agent waits for the output of ${tool}.`,
  callbackOnly: 'Another system answers this, by a request to an address. The page of the run shows it.',
  openRun: 'Open the run',

  answeredWith: (choice: string) => `Answered: ${choice}`,
  sent: 'sent',
  /** Of an answer that could not be given after one went on. */
  notAnswered: (question: string, reason: string) => `Not answered: “${question}” (${reason})`,
  showQuestion: 'Show the question',
  answeredMeanwhile: 'Somebody else has answered this meanwhile',
  isAnswered: 'This question is answered',
  answeredBy: (choice: ReactNode, who: ReactNode, time: ReactNode) => sentence`${choice}, by ${who}, ${time}`,
  noLongerOpen: 'This question is not open any more',
  timeOver: 'Its time is over, or its run has ended.',
  nextQuestion: 'Next question',

  evidence: 'What helps to decide',
  argumentsOf: (tool: string) => `Arguments of ${tool}`,
  argument: 'Argument',
  origin: 'Origin',
  origins: { user: 'from the user', model: 'made by the model' } as Readonly<Record<string, string>>,
  fromTool: (tool: string) => `from a result of ${tool}`,
  noArguments: 'The call has no arguments.',
  earlierAnswers: 'Earlier answers here',
  noEarlierAnswers: 'Nobody has answered here before.',
  timeRanOut: 'no answer',
  somebody: 'somebody',
  you: 'you',

  bulkTitle: (choice: string, questions: number) =>
    `${choice}: ${plural(questions, { one: '# question', other: '# questions' })}?`,
  bulkQuestion: 'Each run goes on. An answer cannot be taken back.',
  bulkComment: 'Comment, the same for all',
  bulkProgress: (done: number, all: number) => `Answered ${countText(done)} of ${countText(all)}`,
  bulkDone: (done: number) => plural(done, { one: '# question answered', other: '# questions answered' }),
  noCommonChoice: 'They have no choice in common',

  keys: 'In the inbox',
  nextOrPrevious: 'Next or previous question',
  pressChoice: 'Give the answer with this number',
  undoAnswer: 'Undo the last answer, in the first seconds',
  writeComment: 'Write a comment; Esc leaves it',
  selectQuestion: 'Select the question',
};
