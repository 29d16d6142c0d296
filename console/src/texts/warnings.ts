import type { WarningCode } from '../../../shared/core/warnings.ts';

const titles: Record<WarningCode, string> = {
  ANSWER_CUT: 'Answer cut',
  ANSWER_EMPTY: 'Ended without an answer',
  CHUNK_TOO_LARGE: 'Record larger than a chunk',
  CONTENT_CUT: 'Content cut',
  FALLBACK_USED: 'Fallback used',
  LIST_CUT: 'List cut',
  MORE_WARNINGS: 'More warnings',
  NOT_JSON: 'Answer is not JSON',
  SETTING_IGNORED: 'Setting ignored',
  STEP_FAILED: 'Failed, and went on',
  TEXT_ENCODING: 'Letters may be wrong',
  TOOLS_MISSING: 'Tools not available',
};

/** Titles of the codes; what happened is said by the message of each. */
export const warningTexts = {
  titles,
  warnings: 'Warnings',
  warning: 'Warning',
  any: 'Any warning',
  times: (count: string) => `${count} times`,
};
