import type { ImportMapping, ImportParameters, ImportReport } from '@tankwatch/client';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { NO_EMAIL } from '../../../../src/values/no_email.ts';
import { usualConstants } from '../../../../src/values/usual_constants.ts';
import { client } from '../api.ts';
import { useVolumeUnit } from '../organization.ts';
import { sendInOrder } from './send_in_order.ts';

export type RefusedRow = ImportReport['refused_rows'][number];

export interface Correction {
  line: number;
  field: string;
  value: string;
}

type ChosenMapping = Pick<ImportMapping, 'columns' | 'constants' | 'date_order'>;

/** How the person wants the file to be read. A null mapping means the suggestion of the service. */
interface Reading {
  what?: ImportReport['what'] | undefined;
  /** Undefined for the first sheet. */
  sheet?: string | undefined;
  /** When the last file with the same headings was imported, if the mapping was taken from it. */
  mappedAsAt?: string | null;
  mapping: ChosenMapping | null;
  corrections: readonly Correction[];
}

const AS_SUGGESTED: Reading = { mapping: null, corrections: [] };
/** An import of 50,000 rows takes half a minute, and longer on a busy machine. */
export const IMPORT_TIMEOUT_MS = 300_000;

/** The largest number of refused rows that the service returns. */
const MAX_REFUSED = 2_000;

const parametersOf = (file: File | null, { what, sheet, mapping, corrections }: Reading): ImportParameters => ({
  what,
  sheet,
  fileName: file?.name.slice(0, 200),
  mapping: mapping === null ? undefined : { ...mapping, corrections },
});

/** The service refuses a longer mapping, because the mapping is part of the URL. */
const MAX_MAPPING_CHARACTERS = 8_000;

const isTooLong = ({ mapping, corrections }: Reading): boolean =>
  JSON.stringify({ ...mapping, corrections }).length > MAX_MAPPING_CHARACTERS;

/** The state of an import, from the choice of the file to the result. Each new mapping is tried with all rows. */
export function useImport(nameOfTank: string) {
  const cache = useQueryClient();
  const unit = useVolumeUnit();
  const [file, setFile] = useState<File | null>(null);
  const [reading, setReading] = useState(AS_SUGGESTED);
  const [isOverLimit, setIsOverLimit] = useState(false);
  const send = (parameters: ImportParameters, isDryRun: boolean, signal?: AbortSignal): Promise<ImportReport> => {
    if (file === null) return Promise.reject(new TypeError('no file is chosen'));
    // An import without a response is not repeated, because the second one would count all rows as unchanged.
    const options = isDryRun ? { dryRun: true } : { maxRetries: 0 };
    return sendInOrder(
      () => client.manage.imports.send(file, parameters, { ...options, timeoutMs: IMPORT_TIMEOUT_MS }),
      signal,
    );
  };
  const tried = useQuery({
    queryKey: ['import', file?.name, file?.size, file?.lastModified, reading],
    queryFn: ({ signal }) => send(parametersOf(file, reading), true, signal),
    enabled: file !== null,
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  });
  const { data: report, isPlaceholderData } = tried;
  // The suggestion becomes the mapping of the person, with a value for each field that the file does not have.
  useEffect(() => {
    if (report === undefined || isPlaceholderData || reading.mapping !== null) return;
    const columns = Object.fromEntries(report.mapped_columns.map(({ field, heading }) => [field, heading]));
    const given = Object.fromEntries(report.constants.map(({ field, value }) => [field, value]));
    const suggested = { what: report.what, columns, constants: given, missing: report.missing };
    const constants = usualConstants(suggested, { nameOfTank, unit, noEmail: NO_EMAIL });
    setReading((before) => ({
      ...before,
      what: report.what,
      mapping: { columns, constants },
      mappedAsAt: report.mapped_as_at,
    }));
  }, [report, isPlaceholderData, reading.mapping, nameOfTank, unit]);

  const importing = useMutation({
    mutationFn: () => send(parametersOf(file, reading), false),
    onSuccess: () => void cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'import' }),
  });
  const changeMapping = (change: (mapping: ChosenMapping) => Partial<ChosenMapping>): void =>
    setReading((before) =>
      before.mapping === null ? before : { ...before, mapping: { ...before.mapping, ...change(before.mapping) } },
    );
  return {
    file,
    reading,
    report: reading.mapping === null ? undefined : report,
    error: tried.error,
    isTrying: tried.isFetching || reading.mapping === null,
    tryAgain: () => void tried.refetch(),
    importing,
    choose: (chosen: File | null): void => {
      importing.reset();
      setIsOverLimit(false);
      setReading(AS_SUGGESTED);
      setFile(chosen);
    },
    setWhat: (what: ImportReport['what']): void => {
      setIsOverLimit(false);
      setReading({ ...AS_SUGGESTED, what, sheet: reading.sheet });
    },
    setSheet: (sheet: string): void => {
      setIsOverLimit(false);
      setReading({ ...AS_SUGGESTED, sheet });
    },
    /** Reads all refused rows, because the report has only the first ones. */
    readRefused: () => send({ ...parametersOf(file, reading), maxRefused: MAX_REFUSED }, true),
    /** Assigns a column to a field. A field has at most one column. */
    setField: (heading: string, field: string): void =>
      changeMapping(({ columns }) => {
        const isOfHeading = (theirs: string): boolean => theirs.split(' + ').includes(heading) || theirs === heading;
        const others = Object.entries(columns).filter(([ours, theirs]) => !isOfHeading(theirs) && ours !== field);
        return { columns: Object.fromEntries(field === '' ? others : [...others, [field, heading]]) };
      }),
    setConstant: (field: string, value: string): void =>
      changeMapping(({ constants }) => {
        const others = Object.entries(constants).filter(([name]) => name !== field);
        return { constants: Object.fromEntries(value.trim() === '' ? others : [...others, [field, value]]) };
      }),
    setDateOrder: (order: '' | 'dmy' | 'mdy'): void => changeMapping(() => ({ date_order: order || undefined })),
    /** Whether the latest corrections were not taken, because the mapping would be too long. */
    isOverLimit,
    correct: (taken: readonly Correction[]): void => {
      const corrected = { ...reading, corrections: [...reading.corrections, ...taken] };
      setIsOverLimit(isTooLong(corrected));
      if (!isTooLong(corrected)) setReading(corrected);
    },
  };
}

export type ImportState = ReturnType<typeof useImport>;
