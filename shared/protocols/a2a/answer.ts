import * as z from 'zod';
import { A2aRefusal } from '../../adapters/a2a-server/served-agent.ts';
import type { A2aPart } from '../../adapters/ports/a2a-port.ts';
import type { TaskWait } from '../../execution/a2a-tasks/task-progress.ts';
import { Decision, type GivenAnswers } from '../../execution/agent-runs/answer-waits.ts';
import { textOfParts } from './parameters.ts';

const Answers = z.strictObject({
  toolOutputs: z.record(z.string(), z.unknown()).optional(),
  decisions: z.array(Decision).max(100).optional(),
});

const yes = /^(approved?|allow|yes|ok)\b/i;
const no = /^(den(y|ied)|reject(ed)?|no)\b/i;

/** A data part with `toolOutputs` or `decisions`. A single question takes any data or text: the output, or approve or deny. */
export function readAnswer(
  parts: readonly A2aPart[],
  waits: readonly TaskWait[],
  approves: boolean,
): Pick<GivenAnswers, 'toolOutputs' | 'decisions'> {
  const data = parts.flatMap((part) => ('data' in part ? [part.data] : []));
  const [first] = data;
  const isFull =
    typeof first === 'object' && first !== null && ('toolOutputs' in first || 'decisions' in first);
  if (isFull) {
    const { data: answers, error } = Answers.safeParse(first);
    const [issue] = error?.issues ?? [];
    if (issue) {
      throw new A2aRefusal(
        'malformed',
        [issue.path.join('../../../functions/surface-a2a'), issue.message].filter(Boolean).join(': '),
      );
    }
    const { toolOutputs = {}, decisions = [] } = answers ?? {};
    if (decisions.length > 0 && !approves) throw notByCaller();
    if (Object.keys(toolOutputs).length + decisions.length > 0) return answers ?? {};
    throw new A2aRefusal('malformed', 'The message answers nothing: toolOutputs and decisions are empty');
  }
  const [wait, ...others] = waits;
  if (!wait || others.length > 0) {
    throw new A2aRefusal('malformed', 'Send a data part with toolOutputs by toolCallId, or with decisions');
  }
  if (parts.some((part) => 'url' in part || 'bytes' in part)) {
    throw new A2aRefusal('content-type', 'Answers are text and data, and no files');
  }
  const text = textOfParts(parts).trim();
  if (wait.kind === 'output') return { toolOutputs: { [wait.callId]: first === undefined ? text : first } };
  const decision = yes.test(text) ? 'approved' : no.test(text) ? 'denied' : undefined;
  if (!approves) throw notByCaller();
  if (decision) return { decisions: [{ approvalId: wait.approvalId ?? '', decision }] };
  throw new A2aRefusal('malformed', 'Send the text approve or deny, or a data part with decisions');
}

const notByCaller = () =>
  new A2aRefusal('unsupported', 'The operator of the agent decides its calls, not the caller');
