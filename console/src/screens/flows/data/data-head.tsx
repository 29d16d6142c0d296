import { stepDataTexts } from '../../../texts/step-data.ts';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { SampleBar } from './sample-bar.tsx';
import type { StepDataNow } from './use-step-data.ts';

/** Of which record the data is, and whether it is that of now. */
export const DataHead = ({ data: { record, isUpdating, error } }: { data: StepDataNow }) => (
  <>
    <div className="step-data-bar">
      <SampleBar record={record} />
      <span className="help">{isUpdating ? stepDataTexts.updating : stepDataTexts.upToDate}</span>
    </div>
    {error && !isUpdating && <FailureNotice error={error} />}
  </>
);
