import { useAction, useCall } from '../../api/queries.ts';
import { typePath } from '../../routing/record-paths.ts';
import { useParam } from '../../routing/screens.ts';
import { recordTexts } from '../../texts/records.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { Loading } from '../../ui/loading/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { ScreenPage } from '../../ui/page.tsx';
import { ShownId } from '../../ui/values/copy-id.tsx';
import { Time } from '../../ui/values/time.tsx';
import { Costs } from './costs.tsx';
import { RecordMetadata } from './metadata.tsx';
import { Results } from './results.tsx';
import { StepResults } from './step-results.tsx';
import '../../style/records.css';

/** One record: what it holds, and what became of it. */
export function OneRecord() {
  const id = useParam('recordId');
  const record = useCall('records.get', { params: { id } });
  const remove = useAction('records.delete', {
    onSuccess() {
      notify(recordTexts.recordDeleted);
      location.assign(`#${record.data ? typePath(record.data.type) : '/records'}`);
    },
  });
  const above = [{ to: '/records', label: sharedTexts.records }];
  if (!record.data)
    return (
      <ScreenPage title={sharedTexts.record} above={above}>
        {record.error ? <FailureNotice error={record.error} onRetry={() => record.refetch()} /> : <Loading />}
      </ScreenPage>
    );
  const { type, name, metadata, createdAt, updatedAt } = record.data;
  return (
    <ScreenPage
      title={name}
      above={[...above, { to: typePath(type), label: type }]}
      id={<ShownId id={id} label={sharedTexts.copyRecordId} />}
      actions={
        <ConfirmButton
          title={recordTexts.deleteThisRecord}
          question={recordTexts.resultsAreDeletedToo}
          confirm={sharedTexts.delete}
          action={() => remove.mutateAsync({ params: { id } })}
        >
          {sharedTexts.delete}
        </ConfirmButton>
      }
    >
      <p className="help">
        {recordTexts.createdAndChanged(<Time at={createdAt} />, <Time at={updatedAt} />)}
      </p>
      <div className="stack">
        <RecordMetadata key={id} id={id} metadata={metadata} />
        <div>
          <Results id={id} />
          <StepResults id={id} />
        </div>
        <Costs id={id} />
      </div>
    </ScreenPage>
  );
}
