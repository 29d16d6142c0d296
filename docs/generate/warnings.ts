import { type WarningCode, warningCodes } from '../../shared/core/warnings.ts';

/** What to do about each warning. */
const remedies: Record<WarningCode, string> = {
  ANSWER_CUT:
    'Raise `maxTokens` of the step or of the model config, or ask for less. For another reason, which the message names, look it up at the provider.',
  ANSWER_EMPTY:
    'Nothing, if the agent is to act only. Else say in its instructions that it answers at the end.',
  CHUNK_TOO_LARGE: 'Raise `maxTokens` of the chunk, or name fewer `fields`.',
  CONTENT_CUT: 'Raise `maxCharacters` of the call, or read a smaller part.',
  FALLBACK_USED: 'Look at the attempts of the step: they say why the first one failed.',
  LIST_CUT: 'Ask for less at once, or raise `limit` of the call.',
  MORE_WARNINGS: 'Look at the results of the steps: each shows its own.',
  NOT_JSON:
    'Look at the body in the result: it may be cut, or the page of a proxy. Members of it, and a `responseMapping`, are empty.',
  SETTING_IGNORED: 'Remove the setting, or choose a model that takes it.',
  STEP_FAILED:
    'Look at the result of the step for its error. `errorHandling` or `onError` says that the flow goes on.',
  TEXT_ENCODING:
    'Compare the letters beyond ASCII with the original. Who sends the text names its encoding, or sends UTF-8.',
  TOOLS_MISSING:
    'Look at the MCP server that the message names. `"required": true` on the server fails the run instead.',
};

/** docs/warnings.md, with the codes of the code. */
export const warningsDocument = (): string => `# Warnings

\`npm run docs\` writes the list of codes from the code.

A run that is \`completed\` has done what was asked for. What it could not do either fails it, with the reason, or is a **warning**: the run went on
without it, and somebody should know.

Warnings are \`{code, message, stepId?, count}\`. You find them

- in the response of \`POST /v1/dispatch\` and \`POST /v1/agents/{id}/execute\`, for the run and for each step, and in streams as events of the type
  \`warning\`;
- in \`GET /v1/runs/{id}\` and \`GET /v1/runs\`, which \`warning=any\` or \`warning=<code>\` filters; in the results of steps;
- in \`GET /v1/batch/status/{id}\` as counts by code;
- in traces and in what is exported as OpenTelemetry as events of the spans. Their words are content, as those of errors are.

A run has at most 20 kinds, counted; runs inside of it add theirs.

## Codes

| Code | What happened | What to do |
|---|---|---|
${Object.entries(warningCodes)
  .map(([code, what]) => `| \`${code}\` | ${what} | ${remedies[code as WarningCode]} |`)
  .join('\n')}

## What is a failure instead

| What happened | Why it is no warning |
|---|---|
| A refusal, a content filter, a blocked prompt or answer | There is no answer. The error has the provider's reason |
| An empty answer, also for the limit of tokens | Later steps would work with nothing. Only an agent whose tools have worked may end so |
| JSON that is cut at the limit of tokens, or does not fit its schema | What is missing cannot be known |
| An answer, a page or a file over its limit of bytes or values | A part of it would be taken for the whole |
| A page of \`paginate-api\` that cannot be read, or more pages than may be read | The list would look complete |
| A server with \`"required": true\` that does not list its tools, or not to the end | You said so |
| A request that acts, and whose outcome is unknown | It is not repeated by itself: \`OUTCOME_UNKNOWN\` |

## What is neither

| What happened | Why nobody needs to know |
|---|---|
| Another type, an unknown member, a new event in an answer of a model | The meaning is there ([providers](providers.md)) |
| Thoughts, a fence or a sentence around JSON that was asked for | One value fits, and it is taken |
| A retry that succeeded | The attempts of the step show it |
| A branch that was not taken, a step whose \`when\` was false | That is the flow: the step is \`skipped\` |
| \`maxPages\` of \`paginate-api\` reached | You asked for the first pages |
| A conversation that an agent summarised | It is an event of the run, and in its trace |
`;
