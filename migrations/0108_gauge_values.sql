-- What a gauge measured, beside the level that follows from it, so that a corrected shape changes the levels of the past. It only
-- adds: 0.3.0 works with it, and stores levels only.
--
-- The value times 8, plus the kind (src/telemetry/stored_measure.ts). Null for devices that send percentages or volumes: a null costs
-- nothing, because the header of a row has room for the flags of eight columns.
alter table telemetry add column gauge_value int;
