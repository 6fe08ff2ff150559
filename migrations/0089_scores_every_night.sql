-- The worker computes every night how right alerts and forecasts were.
grant insert, update on alert_scores to tankwatch_worker;
