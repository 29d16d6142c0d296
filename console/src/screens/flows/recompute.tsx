import { OnRecords } from './on-records.tsx';
import { RecomputeForm } from './recompute-form.tsx';

export const RecomputeFlow = () => <OnRecords form={RecomputeForm} />;
