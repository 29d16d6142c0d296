import { useEffect, useRef, useState } from 'react';
import { useApi } from '../../api/api.ts';
import { useScreenKeys } from '../../shell/shortcuts/use-shortcuts.ts';
import { inboxTexts } from '../../texts/inbox.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../../ui/forms/button.tsx';
import { CheckField } from '../../ui/forms/check.tsx';
import { Choice } from '../../ui/forms/choice.tsx';
import { Segments } from '../../ui/forms/segments.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { Empty, Loading } from '../../ui/loading/loaded.tsx';
import { ScreenPage } from '../../ui/page.tsx';
import { SelectionBar } from '../../ui/selection/selection-bar.tsx';
import { useSelection } from '../../ui/selection/use-selection.ts';
import { ShowMore } from '../../ui/tables/show-more.tsx';
import { useMedia } from '../../ui/use-media.ts';
import { useSettled } from '../../ui/use-settled.ts';
import { AnswerSelected } from './answer-selected.tsx';
import { useHeldAnswer } from './use-held-answer.ts';
import {
  type InboxEntry,
  type InboxFilters,
  kinds,
  statuses,
  useChosenWait,
  useInbox,
  useInboxAddress,
} from './use-inbox.ts';
import { WaitList } from './wait-list.tsx';
import { GoneWait, WaitPane } from './wait-pane.tsx';
import '../../style/inbox.css';

/** What runs wait for, one question after the other: a list, and the chosen one beside it. On a phone one of the two. */
export function Inbox() {
  const { filters, waitId, setFilters, choose } = useInboxAddress();
  const inbox = useInbox(filters);
  const { rows } = inbox;
  const isPhone = useMedia('(width < 800px)');
  const chosenId = waitId ?? (isPhone ? undefined : rows?.[0]?.id);
  const { wait, hasLeft } = useChosenWait(rows, chosenId);
  const selection = useSelection(rows, nameOf);
  // Somebody who holds j passes many.
  const settledId = useSettled(chosenId, 150);
  const pane = useRef<HTMLElement>(null);
  const place = rows?.findIndex(({ id }) => id === chosenId) ?? -1;
  /** Where one that leaves the list has stood. */
  const lastPlace = useRef(0);
  useEffect(() => {
    if (place >= 0) lastPlace.current = place;
  }, [place]);

  const go = (to: number) => {
    const row = rows?.[Math.max(0, Math.min(to, rows.length - 1))];
    if (row) choose(row.id, waitId !== undefined || !isPhone);
  };
  const goOn = (id: string) => {
    const rest = rows?.filter((row) => row.id !== id) ?? [];
    const next = rest[Math.min(place < 0 ? lastPlace.current : place, rest.length - 1)];
    inbox.hide(id);
    choose(next?.id, true);
    pane.current?.focus({ preventScroll: true });
  };
  const [written, setWritten] = useState<{ id: string; comment: string }>();
  const held = useHeldAnswer({
    onHeld: ({ id }) => goOn(id),
    onBack({ id }, comment, isUndone) {
      inbox.show(id);
      setWritten({ id, comment });
      if (!isUndone) return;
      choose(id, waitId !== undefined || !isPhone);
      pane.current?.focus({ preventScroll: true });
    },
  });
  useScreenKeys((key) => {
    if (key === 'j') go(place < 0 ? 0 : place + 1);
    else if (key === 'k') go(place - 1);
    else if (key === 'x' && wait && !hasLeft) selection.toggle(wait.id);
    else if (key === 'c') return focusComment(pane.current);
    else if (key === 'u' || key === 'z') return held.undo();
    else if (/^[1-9]$/.test(key)) return press(key);
    else return false;
    return true;
  });

  const showsList = !isPhone || waitId === undefined;
  return (
    <ScreenPage title={sharedTexts.inbox}>
      {showsList && (
        <Filters
          filters={filters}
          onChange={(next) => {
            held.send();
            setFilters(next);
          }}
        />
      )}
      {held.refused && (
        <div role="alert" className="failure">
          <p>{held.refused.text}</p>
          <div className="actions">
            <Button
              onPress={() => {
                choose(held.refused?.wait.id, true);
                held.forget();
              }}
            >
              {inboxTexts.showQuestion}
            </Button>
            <Button look="quiet" onPress={held.forget}>
              {sharedTexts.close}
            </Button>
          </div>
        </div>
      )}
      {filters.status === 'open' && (
        <SelectionBar selection={selection}>
          <AnswerSelected selection={selection} onDone={() => choose(undefined, true)} />
        </SelectionBar>
      )}
      {inbox.error && <FailureNotice error={inbox.error} onRetry={() => inbox.refetch()} />}
      {!rows && !inbox.error && <Loading />}
      {rows && rows.length === 0 && waitId === undefined && (
        <NothingWaits isFiltered={isFiltered(filters)} onClear={() => setFilters({ status: 'open' })} />
      )}
      {rows && (rows.length > 0 || waitId !== undefined) && (
        <div className="inbox">
          {showsList && rows.length > 0 && (
            <div className="inbox-side">
              <WaitList
                rows={rows}
                chosenId={chosenId}
                selection={selection}
                onChoose={(id) => choose(id, !isPhone)}
              />
              <ShowMore pages={inbox} />
            </div>
          )}
          {(!isPhone || waitId !== undefined) && (
            <section ref={pane} tabIndex={-1} className="inbox-pane" aria-labelledby="inbox-question">
              {isPhone && (
                <Button look="quiet" onPress={() => choose(undefined, true)}>
                  ← {inboxTexts.backToList}
                </Button>
              )}
              {wait ? (
                <WaitPane
                  key={wait.id}
                  wait={wait}
                  isSettled={settledId === wait.id}
                  hasLeft={hasLeft && filters.status === 'open'}
                  position={
                    place < 0
                      ? undefined
                      : inboxTexts.position(place + 1, inboxTexts.countOf(rows.length, inbox.hasNextPage))
                  }
                  hasKeys={selection.ids.size === 0}
                  comment={written?.id === wait.id ? written.comment : undefined}
                  onChoose={(answer) => held.hold(wait, answer)}
                  onDone={() => goOn(wait.id)}
                />
              ) : (
                chosenId && <Searched id={chosenId} inbox={inbox} onNext={() => goOn(chosenId)} />
              )}
            </section>
          )}
        </div>
      )}
    </ScreenPage>
  );
}

/** What a question is called in messages. */
const nameOf = ({ question, title }: InboxEntry): string => question ?? title;

const isFiltered = ({ status, ...rest }: InboxFilters) => status !== 'open' || Object.keys(rest).length > 0;

/** Presses the button that shows this digit. */
function press(digit: string): boolean {
  const button = document.querySelector<HTMLElement>(`main [data-key="${digit}"]`);
  button?.click();
  return button !== null;
}

function focusComment(pane: HTMLElement | null): boolean {
  const field = pane?.querySelector<HTMLElement>('.answer-comment textarea');
  field?.focus();
  return field !== null && field !== undefined;
}

const kindOptions = [
  { value: '' as const, label: inboxTexts.allKinds },
  ...kinds.map((value) => ({ value, label: inboxTexts.kinds[value] })),
];

function Filters({ filters, onChange }: { filters: InboxFilters; onChange: (next: InboxFilters) => void }) {
  const { userId } = useApi().credential;
  const { status, kind, overdue, mine } = filters;
  const put = (change: Partial<Record<keyof InboxFilters, unknown>>) => {
    const all = Object.entries({ ...filters, ...change }).filter(([, value]) => value);
    onChange(Object.fromEntries(all) as unknown as InboxFilters);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div role="group" aria-label={inboxTexts.filters} className="inbox-filters">
      <Segments
        label={sharedTexts.status}
        value={status}
        options={statuses.map((value) => ({ value, label: inboxTexts.statuses[value] }))}
        onChange={(next) => put({ status: next, overdue: undefined })}
      />
      <Choice
        label={<span className="visually-hidden">{sharedTexts.kind}</span>}
        value={kind ?? ''}
        options={kindOptions}
        onChange={(next) => put({ kind: next })}
      />
      {status === 'open' && (
        <CheckField
          label={inboxTexts.overdue}
          isOn={overdue === true}
          onChange={(isOn) => put({ overdue: isOn })}
        />
      )}
      {userId !== null && (
        <CheckField
          label={inboxTexts.claimedByMe}
          isOn={mine === true}
          onChange={(isOn) => put({ mine: isOn })}
        />
      )}
    </div>
  );
}

const NothingWaits = ({ isFiltered: isOfFilters, onClear }: { isFiltered: boolean; onClear: () => void }) =>
  isOfFilters ? (
    <Empty title={inboxTexts.nothingMatches}>
      <Button onPress={onClear}>{inboxTexts.showAllOpen}</Button>
    </Empty>
  ) : (
    <Empty title={inboxTexts.nothingWaits}>
      <p>{inboxTexts.aboutInbox}</p>
    </Empty>
  );

interface SearchedProps {
  id: string;
  inbox: Pick<ReturnType<typeof useInbox>, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage' | 'error'>;
  onNext: () => void;
}

/** A question that a link names: further down in the list, or not open any more. */
function Searched({ id, inbox, onNext }: SearchedProps) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage, error } = inbox;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !error) fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, error]);
  return hasNextPage ? <Loading /> : <GoneWait id={id} onNext={onNext} />;
}
