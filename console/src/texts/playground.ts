import { plural } from './language.ts';
import { sentence, type Wrap } from './sentence.ts';

export const playgroundTexts = {
  conversation: 'Conversation',
  newChat: 'New chat',
  sendMessage: 'Send the agent a message',
  aboutAnswers: 'Each answer appears as it is written, with the tools it calls, its duration and its cost.',
  message: 'Message',
  enterSends: 'Enter sends, Shift and Enter begin a new line',
  send: 'Send',
  agentIsWorking: 'The agent is working …',
  askAgain: 'Ask again',
  answers: (answers: number) => plural(answers, { one: '# answer', other: '# answers' }),
  conversationEnds:
    'The conversation ends with this screen, unsaved changes of the draft are lost, and an answer that is under way is cancelled. Answers stay in the runs.',

  configuration: 'Configuration',
  versionThatRuns: 'Version that runs',
  runsPublishedVersion: 'Runs the published version: what callers get.',
  runsSavedDraft: 'Runs the draft as it was last saved. Save your changes to run them.',
  runsDraft: 'Runs the draft.',
  runsOnAnotherServer: (settings: Wrap) =>
    sentence`Another server runs this agent. ${settings('Edit its settings')}`,
  editAllSettings: 'Edit all settings',
  saveAsVersion: 'Save as version',
  saveAsNewVersion: 'Save as a new version?',
  savesAndPublishesDraft:
    'Saves the draft and publishes it: callers get this version. Runs that have begun keep theirs.',
  versionPublished: 'Version published',
  noPublishedVersion: 'No published version',
  saveVersionFirst: 'Save the draft as a version first. Until then, callers get the draft.',

  runOptions: 'Run options',
  inputs: 'Inputs',
  variablesByName: 'Variables of the instructions, by name',
  clientTools: 'Client tools',
  aboutClientTools:
    'A list of { name, description, parametersSchema }: when the agent calls one, you give its output',
  expectedAnObject: 'Expected an object',
};
