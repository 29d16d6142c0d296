import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { ApiError } from '../../../../packages/client/src/client.ts';
import { useApi } from '../../api/api.ts';
import { useAction, useCall } from '../../api/queries.ts';
import { AnswerFields, ChoiceButtons, choiceText, useAnswerDraft } from '../../run/answer-draft.tsx';
import { ToolOutput } from '../../run/tool-output.tsx';
import { inboxTexts } from '../../texts/inbox.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { TextField } from '../../ui/forms/field.tsx';
import { Link } from '../../ui/link.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { fieldProblems } from '../../ui/loading/failure-text.ts';
import { Loading } from '../../ui/loading/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { Time } from '../../ui/values/time.tsx';
import { CallArguments, Evidence } from './evidence.tsx';
import { answerChanges, type GivenChoice } from './use-held-answer.ts';
import type { InboxEntry } from './use-inbox.ts';
import { isOverdue } from './wait-list.tsx';

interface Props {
  wait: InboxEntry;
  /** Whether one stays here, so that what helps to decide is read. */
  isSettled: boolean;
  /** Whether it has left the list without an answer from here. */
  hasLeft: boolean;
  /** `3 of 12` */
  position: string | undefined;
  /** Whether digits press its choices. */
  hasKeys: boolean;
  /** A comment of an answer that was taken back. */
  comment: string | undefined;
  /** Takes an answer, to be sent in a moment. */
  onChoose: (answer: GivenChoice) => void;
  /** Goes on to the next one. */
  onDone: () => void;
}

/** One question: what is asked, what helps to decide, and the answer. */
export function WaitPane({ wait, isSettled, hasLeft, position, onDone, ...answering }: Props) {
  const [isRefused, setRefused] = useState(false);
  const isOpen = wait.answer === null && Date.parse(wait.expiresAt) > Date.now();
  return (
    <>
      <header className="inbox-head">
        <p className="help">
          <bdi>{inboxTexts.kinds[wait.kind]}</bdi> · <Source wait={wait} />
          {position && (
            <span role="status" className="inbox-position">
              {position}
            </span>
          )}
        </p>
        <h2 id="inbox-question">{wait.question ?? wait.title}</h2>
        <p className="help">
          {isOverdue(wait) && isOpen && <span className="status warn">{inboxTexts.overdue}</span>}{' '}
          {inboxTexts.asked(<Time at={wait.since} />)}
          {wait.answer === null && (
            <>
              {', '}
              {(isOpen ? inboxTexts.expires : inboxTexts.expired)(<Time at={wait.expiresAt} />)}
            </>
          )}
          {wait.remindedAt && (
            <>
              {', '}
              {inboxTexts.reminded(<Time at={wait.remindedAt} />)}
            </>
          )}
        </p>
      </header>
      {hasLeft || isRefused ? (
        <GoneWait id={wait.id} wait={wait} onNext={onDone} />
      ) : (
        isOpen && <Handling wait={wait} />
      )}
      <div className="inbox-parts">
        <div>
          {typeof wait.details === 'string' && <p className="run-text inbox-details">{wait.details}</p>}
          {wait.details !== null && typeof wait.details !== 'string' && <CallArguments call={wait.details} />}
          {wait.answer && <GivenAnswer answer={wait.answer} />}
          {isOpen && !hasLeft && !isRefused && (
            <Answer wait={wait} {...answering} onRefused={() => setRefused(true)} onDone={onDone} />
          )}
        </div>
        {isSettled && <Evidence wait={wait} />}
      </div>
    </>
  );
}

/** The flow or agent that asks. */
const Source = ({ wait: { title, flowId, agentId, itemKey } }: { wait: InboxEntry }) => {
  const path = flowId ? `/flows/${flowId}` : agentId ? `/agents/${agentId}` : undefined;
  const name = <bdi>{title}</bdi>;
  return (
    <>
      {path ? <Link to={path}>{name}</Link> : name}
      {itemKey !== null && ` · ${inboxTexts.item(itemKey)}`}
    </>
  );
};

/** Who works on it, and who is asked. */
function Handling({ wait }: { wait: InboxEntry }) {
  const { userId } = useApi().credential;
  const [isReassigning, setReassigning] = useState(false);
  const params = { id: wait.id };
  const claim = useAction('waits.claim', { changes: ['waits'] });
  const release = useAction('waits.release', { changes: ['waits'] });
  const remind = useAction('waits.remind', {
    changes: ['waits'],
    onSuccess: () => notify(inboxTexts.remindedNow),
  });
  const isMine =
    wait.claimedBy !== null && (wait.claimedBy === userId || claim.data?.claimedBy === wait.claimedBy);
  const error = claim.error ?? release.error ?? remind.error;
  const { emails } = wait.assignees;
  /** What went wrong before is over. */
  const act = (action: typeof claim | typeof release | typeof remind) => {
    for (const each of [claim, release, remind]) each.reset();
    action.mutate({ params });
  };
  return (
    <div className="inbox-handling">
      <div className="actions">
        {wait.claimedBy === null ? (
          <Button isPending={claim.isPending} onPress={() => act(claim)}>
            {inboxTexts.claim}
          </Button>
        ) : (
          <>
            <span className="status busy">
              {isMine ? inboxTexts.claimedByYou : inboxTexts.claimedBy(<bdi>{wait.claimedBy}</bdi>)}
            </span>
            <Button look="quiet" isPending={release.isPending} onPress={() => act(release)}>
              {inboxTexts.release}
            </Button>
          </>
        )}
        <Button look="quiet" isPending={remind.isPending} onPress={() => act(remind)}>
          {inboxTexts.remind}
        </Button>
        <Button look="quiet" onPress={() => setReassigning(true)}>
          {inboxTexts.reassign}
        </Button>
        {emails.length > 0 && <span className="help">{inboxTexts.askedOf(emails.join(', '))}</span>}
      </div>
      {error && <FailureNotice error={error} />}
      {isReassigning && <Reassign wait={wait} onClose={() => setReassigning(false)} />}
    </div>
  );
}

function Reassign({ wait, onClose }: { wait: InboxEntry; onClose: () => void }) {
  const [text, setText] = useState(wait.assignees.emails.join('\n'));
  const emails = [...new Set(text.split(/[\s,;]+/).filter((email) => email !== ''))];
  const reassign = useAction('waits.reassign', {
    changes: ['waits'],
    onSuccess() {
      notify(inboxTexts.othersAreAsked);
      onClose();
    },
  });
  return (
    <Dialog title={inboxTexts.reassignTitle} isOpen onClose={onClose}>
      <TextField
        label={inboxTexts.emails}
        help={inboxTexts.emailsHelp}
        lines={3}
        value={text}
        onChange={setText}
        autoFocus
      />
      {reassign.error && <FailureNotice error={reassign.error} />}
      <div className="actions">
        <Button onPress={onClose}>{sharedTexts.cancel}</Button>
        <Button
          look="primary"
          isPending={reassign.isPending}
          isDisabled={emails.length === 0}
          onPress={() => reassign.mutate({ params: { id: wait.id }, body: { emails } })}
        >
          {inboxTexts.ask}
        </Button>
      </div>
    </Dialog>
  );
}

interface AnswerProps extends Pick<Props, 'wait' | 'hasKeys' | 'comment' | 'onChoose'> {
  /** Somebody else was first, or its time is over. */
  onRefused: () => void;
  onDone: () => void;
}

/** What the service checks, a form or an output, is sent at once: one stays until it is accepted. */
function Answer({ wait, hasKeys, comment, onChoose, onRefused, onDone }: AnswerProps) {
  const draft = useAnswerDraft(wait.form, comment);
  const answer = useAction('waits.answer', {
    changes: answerChanges,
    onSuccess({ choice }) {
      notify(inboxTexts.answeredWith(choice === null ? inboxTexts.sent : choiceText(choice)));
      onDone();
    },
  });
  const problems = useMemo(() => fieldProblems(answer.error), [answer.error]);
  const isConflict = answer.error instanceof ApiError && answer.error.status === 409;
  useEffect(() => {
    if (isConflict) onRefused();
  }, [isConflict, onRefused]);
  const params = { id: wait.id };
  if (wait.kind === 'callback') {
    return (
      <p>
        {inboxTexts.callbackOnly} <Link to={`/runs/${wait.rootRunId}`}>{inboxTexts.openRun}</Link>
      </p>
    );
  }
  const tool = wait.details !== null && typeof wait.details !== 'string' ? wait.details.tool : wait.title;
  return (
    <div className="inbox-answer">
      {wait.kind === 'local-tool' ? (
        <>
          <p>{inboxTexts.waitsForOutput(<code>{tool}</code>)}</p>
          <ToolOutput
            tool={tool}
            isBusy={answer.isPending}
            onSend={(values) => answer.mutate({ params, body: { values } })}
          />
        </>
      ) : (
        <>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape leaves a field, so that keys work again */}
          <div onKeyDown={({ key, target }) => key === 'Escape' && (target as HTMLElement).blur()}>
            <AnswerFields draft={draft} problems={problems} />
          </div>
          <ChoiceButtons
            choices={wait.choices ?? []}
            isPending={answer.isPending}
            hasKeys={hasKeys}
            onChoose={(choice) =>
              wait.form
                ? answer.mutate({ params, body: draft.toAnswer(choice) })
                : onChoose(draft.toAnswer(choice))
            }
          />
        </>
      )}
      {answer.error && !isConflict && <FailureNotice error={answer.error} />}
    </div>
  );
}

type Given = NonNullable<InboxEntry['answer']>;

const GivenAnswer = ({ answer }: { answer: Given }) => (
  <div className="inbox-given">
    <p>
      <AnswerLine answer={answer} />
    </p>
    {answer.comment && <p className="run-text">{answer.comment}</p>}
  </div>
);

function AnswerLine({ answer: { choice, answeredBy, answeredAt } }: { answer: Given }): ReactNode {
  const { userId } = useApi().credential;
  const who = answeredBy !== null && answeredBy === userId ? inboxTexts.you : answeredBy;
  return inboxTexts.answeredBy(
    <strong>{choice === null ? inboxTexts.sent : choiceText(choice)}</strong>,
    <bdi>{who ?? inboxTexts.somebody}</bdi>,
    <Time at={answeredAt} />,
  );
}

interface GoneProps {
  id: string;
  /** As it was last seen. */
  wait?: InboxEntry;
  onNext: () => void;
}

/** In the place of an answer: who gave one meanwhile, as far as it is known. */
export function GoneWait({ id, wait, onNext }: GoneProps) {
  const { flowId, agentId, kind } = wait ?? {};
  const query = {
    status: 'answered' as const,
    limit: 100,
    ...(flowId && { flowId }),
    ...(agentId && { agentId }),
    ...(kind && { kind }),
  };
  const { userId } = useApi().credential;
  const answered = useCall('waits.list', { query });
  const found = answered.data?.data.find((each) => each.id === id);
  const answeredTitle =
    found?.answer?.answeredBy === userId ? inboxTexts.isAnswered : inboxTexts.answeredMeanwhile;
  if (answered.isPending) return <Loading />;
  return (
    <div role="status" className="note inbox-gone">
      <strong id={wait ? undefined : 'inbox-question'}>
        {found?.answer ? answeredTitle : inboxTexts.noLongerOpen}
      </strong>
      {!wait && found && <p>{found.question ?? found.title}</p>}
      <p>{found?.answer ? <AnswerLine answer={found.answer} /> : inboxTexts.timeOver}</p>
      {found?.answer?.comment && <p className="run-text">{found.answer.comment}</p>}
      <Button onPress={onNext}>{inboxTexts.nextQuestion}</Button>
    </div>
  );
}
