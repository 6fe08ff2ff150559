# Generated from openapi.json by `npm run openapi`. A test fails if it is out of date.
from typing import Any, Literal, NotRequired, TypedDict


Customer = TypedDict(
    "Customer",
    {
        "id": 'str',
        "object": 'Literal["customer"]',
        "created_at": 'str',
        "email": 'str',
        "is_verified": 'bool',
        "last_seen_at": 'str | None',
        "name": 'str',
        "phone": 'str | None',
        "tank_count": 'int',
        "updated_at": 'str',
        "verified_at": 'str | None',
    },
)


Tank = TypedDict(
    "Tank",
    {
        "id": 'str',
        "object": 'Literal["tank"]',
        "assigned_device_id": 'str',
        "capacity": 'float',
        "capacity_unit": 'Literal["liters", "gallons"]',
        "created_at": 'str',
        "custom_id": 'str | None',
        "location": 'dict[str, Any]',
        "min_fill_alert_percentage": 'int',
        "name": 'str',
        "owner_id": 'str',
        "updated_at": 'str',
        "use_case": 'Literal["residential", "commercial", "industrial", None]',
    },
)


Telemetry = TypedDict(
    "Telemetry",
    {
        "object": 'Literal["telemetry"]',
        "created_at": 'str',
        "fill_percentage": 'float',
    },
)


FleetSummary = TypedDict(
    "FleetSummary",
    {
        "object": 'Literal["fleet_summary"]',
        "counts": 'dict[str, Any]',
        "sections": 'dict[str, Any]',
        "not_reporting_yet": 'int',
        "dips_wanted": 'int',
        "orders_due": 'int',
        "total": 'int',
        "newest_reading_at": 'str | None',
        "as_of": 'str',
    },
)


TankStatus = TypedDict(
    "TankStatus",
    {
        "object": 'Literal["tank_status"]',
        "tank": 'Tank',
        "product": 'Literal["propane", "butane", "lpg_mix", "heating_oil", "diesel", "gasoline", "kerosene", "water", "def", "other"]',
        "fill_limit_percentage": 'float',
        "has_own_limit": 'bool',
        "order_threshold_percentage": 'float | None',
        "external_key": 'str | None',
        "owner": 'dict[str, Any]',
        "reading": 'dict[str, Any] | None',
        "status": 'list[Literal["losing", "low", "gauge_unreliable", "silent", "soon", "refilled"]]',
        "section": 'Literal["losing", "low", "unusual_use", "gauge", "silent_low", "handled", "due", "refilled", None]',
        "use_points_per_day": 'float | None',
        "volume": 'dict[str, Any]',
        "threshold": 'dict[str, Any] | None',
        "empty": 'dict[str, Any] | None',
        "due_at": 'str | None',
        "low_since": 'str | None',
        "order_due_since": 'str | None',
        "silent_since": 'str | None',
        "usual_interval_hours": 'float | None',
        "losing_seen_at": 'str | None',
        "unusual_use_at": 'str | None',
        "loss": 'dict[str, Any] | None',
        "gauge_unreliable_since": 'str | None',
        "last_believable": 'dict[str, Any] | None',
        "refilled": 'dict[str, Any] | None',
        "planned_delivery": 'dict[str, Any] | None',
        "spark": NotRequired['list[float | None]'],
        "waiting": 'list[dict[str, Any]]',
        "weather": 'dict[str, Any] | None',
        "source": 'Literal["sensor", "estimated"]',
        "level_range": 'dict[str, Any] | None',
        "dip": 'dict[str, Any] | None',
        "handled": 'list[dict[str, Any]]',
        "muted_until": 'str | None',
        "muted": 'dict[str, Any] | None',
        "notes": 'list[dict[str, Any]]',
    },
)


Phone = TypedDict(
    "Phone",
    {
        "number": 'str',
        "whose": 'str | None',
        "text_for_loss": 'bool',
    },
)


Series = TypedDict(
    "Series",
    {
        "object": 'Literal["series"]',
        "tank_id": 'str',
        "from": 'str',
        "to": 'str',
        "first_reading_at": 'str | None',
        "readings": 'dict[str, Any] | None',
        "buckets": 'dict[str, Any] | None',
        "gaps": 'list[dict[str, Any]]',
    },
)


ThresholdTrial = TypedDict(
    "ThresholdTrial",
    {
        "object": 'Literal["threshold_trial"]',
        "tank_id": 'str',
        "threshold": 'float',
        "since": 'str',
        "first_reading_at": 'str | None',
        "alerts": 'int',
        "alerts_now": 'int',
    },
)


Usage = TypedDict(
    "Usage",
    {
        "object": 'Literal["usage"]',
        "tank_id": 'str',
        "unit": 'Literal["month", "week"]',
        "zone": 'str',
        "periods": 'list[dict[str, Any]]',
    },
)


TankEvents = TypedDict(
    "TankEvents",
    {
        "object": 'Literal["tank_events"]',
        "tank_id": 'str',
        "events": 'list[dict[str, Any]]',
        "next": 'str | None',
        "has_more": 'bool',
    },
)


Timeline = TypedDict(
    "Timeline",
    {
        "object": 'Literal["timeline"]',
        "tank_id": 'str',
        "entries": 'list[dict[str, Any]]',
        "counts": 'dict[str, Any] | None',
        "next": 'str | None',
        "has_more": 'bool',
    },
)


FleetDevices = TypedDict(
    "FleetDevices",
    {
        "object": 'Literal["devices"]',
        "devices": 'list[FleetDevice]',
        "counts": 'dict[str, Any]',
        "cities": 'list[dict[str, Any]]',
        "commissioners": 'list[dict[str, Any]]',
        "as_of": 'str',
        "next": 'str | None',
        "has_more": 'bool',
    },
)


FleetDevice = TypedDict(
    "FleetDevice",
    {
        "device_id": 'str',
        "state": 'Literal["silent", "fault", "gauge_unreliable", "battery_low", "weak_signal", "never_heard", "reporting"]',
        "last_heard_at": 'str | None',
        "usual_interval_hours": 'float | None',
        "gauge_unreliable_since": 'str | None',
        "battery_percent": 'float | None',
        "battery_v": 'float | None',
        "battery_low_since": 'str | None',
        "battery_months_left": 'dict[str, Any] | None',
        "signal_dbm": 'float | None',
        "signal_percent": 'float | None',
        "temperature_celsius": 'float | None',
        "firmware": 'str | None',
        "profile": 'str | None',
        "fault": 'str | None',
        "fault_since": 'str | None',
        "next_report_at": 'str | None',
        "tank": 'dict[str, Any]',
        "owner": 'dict[str, Any]',
        "commissioned_at": 'str',
        "commissioned_by": 'str | None',
        "commissioned_by_name": 'str | None',
        "taken_on": 'dict[str, Any] | None',
    },
)


TankEvent = TypedDict(
    "TankEvent",
    {
        "id": 'str',
        "object": 'Literal["event"]',
        "type": 'Literal["tank.low_fill", "tank.fill_recovered", "tank.order_due", "tank.refilled", "tank.overfilled", "tank.rapid_loss", "tank.unusual_use", "tank.device_silent", "tank.device_reporting", "tank.gauge_unreliable", "tank.gauge_reliable", "tank.acknowledged", "tank.acknowledgement_ended", "tank.muted", "tank.unmuted", "device.battery_low", "device.battery_ok", "connector.down", "connector.up"]',
        "occurred_at": 'str',
        "recorded_at": 'str',
        "retracted_at": 'str | None',
        "retracted_because": 'Literal["gauge_fault", "gauge_corrected", "evaluation_fault", "late_readings", None]',
        "tank_id": 'str',
        "custom_id": 'str | None',
        "owner_id": 'str',
        "external_key": 'str | None',
        "data": 'dict[str, Any]',
        "readings": 'list[dict[str, Any]]',
    },
)


Change = TypedDict(
    "Change",
    {
        "object": 'Literal["change"]',
        "kind": 'Literal["customer", "tank", "level", "event", "round", "stop", "delivery_note", "verdict"]',
        "id": 'str',
        "deleted": 'bool',
        "customer": 'ChangedCustomer | None',
        "tank": 'ManagedTank | None',
        "level": NotRequired['Level'],
        "event": NotRequired['TankEvent'],
        "round": NotRequired['ChangedRound'],
        "stop": NotRequired['ChangedStop'],
        "delivery_note": NotRequired['WrittenDeliveryNote'],
        "verdict": NotRequired['LedgerEntry'],
    },
)


ChangedCustomer = TypedDict(
    "ChangedCustomer",
    {
        "id": 'str',
        "object": 'Literal["customer"]',
        "external_key": 'str | None',
        "email": 'str',
        "name": 'str',
        "phone": 'str | None',
        "phones": 'list[Phone]',
        "is_verified": 'bool',
        "verified_at": 'str | None',
        "created_at": 'str',
        "updated_at": 'str',
        "etag": 'str',
    },
)


ManagedTank = TypedDict(
    "ManagedTank",
    {
        "id": 'str',
        "object": 'Literal["tank"]',
        "assigned_device_id": 'str',
        "capacity": 'float',
        "capacity_unit": 'Literal["liters", "gallons"]',
        "created_at": 'str',
        "custom_id": 'str | None',
        "location": 'dict[str, Any]',
        "min_fill_alert_percentage": 'int',
        "name": 'str',
        "owner_id": 'str',
        "updated_at": 'str',
        "use_case": 'Literal["residential", "commercial", "industrial", None]',
        "external_key": 'str | None',
        "report_interval_hours": 'int | None',
        "is_mobile": 'bool',
        "product": 'Literal["propane", "butane", "lpg_mix", "heating_oil", "diesel", "gasoline", "kerosene", "water", "def", "other", None]',
        "fill_limit_percentage": 'int | None',
        "order_threshold_percentage": 'int | None',
        "levels_changed_at": 'str | None',
        "etag": 'str',
    },
)


Level = TypedDict(
    "Level",
    {
        "tank_id": 'str',
        "custom_id": 'str | None',
        "owner_id": 'str',
        "external_key": 'str | None',
        "created_at": 'str',
        "fill_percentage": 'float',
    },
)


ChangedRound = TypedDict(
    "ChangedRound",
    {
        "id": 'str',
        "date": 'str',
        "state": 'Literal["planned", "under_way", "done", "cancelled"]',
        "truck_id": 'str',
        "driver_id": 'str | None',
        "started_at": 'str | None',
        "ended_at": 'str | None',
        "created_at": 'str',
        "updated_at": 'str',
    },
)


ChangedStop = TypedDict(
    "ChangedStop",
    {
        "round_id": 'str',
        "number": 'int',
        "date": 'str',
        "truck_id": 'str',
        "tank_id": 'str | None',
        "custom_id": 'str | None',
        "volume_unit": 'Literal["liters", "gallons"]',
        "planned_volume": 'float',
        "outcome": 'Literal["open", "delivered", "not_possible", "not_done"]',
        "outcome_from": 'Literal["driver", "person", "gauge", None]',
        "outcome_at": 'str | None',
        "reason": 'Literal["no_access", "refused", "full", "truck_empty", "unsafe", "other", None]',
        "delivered_volume": 'float | None',
    },
)


WrittenDeliveryNote = TypedDict(
    "WrittenDeliveryNote",
    {
        "id": 'str',
        "object": 'Literal["delivery_note"]',
        "series": 'str',
        "number": 'str',
        "at": 'str',
        "precision": 'Literal["minute", "day"]',
        "volume": 'float',
        "unit": 'Literal["liters", "gallons"]',
        "customer_id": 'str',
        "tank_id": 'str | None',
        "truck_id": 'str | None',
        "driver_id": 'str | None',
        "product": 'Literal["propane", "butane", "lpg_mix", "heating_oil", "diesel", "gasoline", "kerosene", "water", "def", "other", None]',
        "compensated": 'bool | None',
        "product_temperature": 'float | None',
        "filled_to": 'float | None',
        "reference": 'str | None',
        "status": 'Literal["valid", "cancelled"]',
        "source": 'Literal["api", "console", "import", "driver"]',
        "created_at": 'str',
        "updated_at": 'str',
    },
)


LedgerEntry = TypedDict(
    "LedgerEntry",
    {
        "id": 'str',
        "at": 'str',
        "verdict": 'Literal["not_consistent", "note_without_refill", "refill_without_note", "cannot_be_told", "waiting", "consistent"]',
        "reason": 'Literal["no_sensor", "compensation_unknown", "gauge_in_question", "readings_far_apart", "nearly_empty_before", "nearly_full_after", "range_too_wide", "below_five_points", "common_offset", "trucks_differ", None]',
        "unlike_earlier": 'bool',
        "pinned": 'bool',
        "notes": 'list[dict[str, Any]]',
        "refills": 'list[dict[str, Any]]',
        "tanks": 'list[dict[str, Any]]',
        "owner": 'dict[str, Any]',
        "truck": 'dict[str, Any] | None',
        "driver": 'dict[str, Any] | None',
        "unit": 'Literal["liters", "gallons"]',
        "note_volume": 'float | None',
        "pumped_volume": 'float | None',
        "gauge_volume": 'float | None',
        "from_volume": 'float | None',
        "to_volume": 'float | None',
        "may_belong_to": 'dict[str, Any] | None',
    },
)


Reading = TypedDict(
    "Reading",
    {
        "object": 'Literal["reading"]',
        "tank_id": 'str',
        "custom_id": 'str | None',
        "owner_id": 'str',
        "external_key": 'str | None',
        "created_at": 'str',
        "fill_percentage": 'float',
        "stored_at": 'str | None',
    },
)


History = TypedDict(
    "History",
    {
        "object": 'Literal["history"]',
        "events": 'list[dict[str, Any]]',
        "next": 'str | None',
        "has_more": 'bool',
    },
)


SearchResult = TypedDict(
    "SearchResult",
    {
        "object": 'Literal["search_result"]',
        "tanks": 'list[TankStatus]',
        "customers": 'list[FleetCustomer]',
        "similar": 'dict[str, Any] | None',
    },
)


FleetCustomer = TypedDict(
    "FleetCustomer",
    {
        "id": 'str',
        "object": 'Literal["customer"]',
        "created_at": 'str',
        "email": 'str',
        "is_verified": 'bool',
        "last_seen_at": 'str | None',
        "name": 'str',
        "phone": 'str | None',
        "tank_count": 'int',
        "updated_at": 'str',
        "verified_at": 'str | None',
        "external_key": 'str | None',
        "reminders_off_since": 'str | None',
        "worst_status": 'Literal["losing", "low", "gauge_unreliable", "silent", "soon", None]',
    },
)


SimilarCustomers = TypedDict(
    "SimilarCustomers",
    {
        "object": 'Literal["similar_customers"]',
        "customers": 'list[dict[str, Any]]',
    },
)


CustomerUsage = TypedDict(
    "CustomerUsage",
    {
        "object": 'Literal["customer_usage"]',
        "customer_id": 'str',
        "unit": 'Literal["month", "week"]',
        "zone": 'str',
        "tanks": 'int',
        "volumes": 'list[dict[str, Any]]',
    },
)


CustomerRefills = TypedDict(
    "CustomerRefills",
    {
        "object": 'Literal["customer_refills"]',
        "customer_id": 'str',
        "zone": 'str',
        "months": 'list[dict[str, Any]]',
    },
)


Ledger = TypedDict(
    "Ledger",
    {
        "object": 'Literal["ledger"]',
        "zone": 'str',
        "counts": 'dict[str, Any]',
        "common_offset": 'dict[str, Any] | None',
        "entries": 'list[LedgerEntry]',
        "next": 'str | None',
        "has_more": 'bool',
    },
)


LedgerTotals = TypedDict(
    "LedgerTotals",
    {
        "object": 'Literal["ledger_totals"]',
        "by": 'Literal["truck", "driver", "month"]',
        "zone": 'str',
        "from": 'str',
        "to": 'str',
        "against_others": 'bool',
        "differ": 'bool',
        "common_offset": 'dict[str, Any] | None',
        "tanks": 'int',
        "tanks_needed": 'int',
        "totals": 'list[dict[str, Any]]',
    },
)


FleetMap = TypedDict(
    "FleetMap",
    {
        "object": 'Literal["fleet_map"]',
        "cells": 'list[dict[str, Any]]',
        "places": 'list[dict[str, Any]]',
        "tanks": 'list[dict[str, Any]]',
        "bounds": 'dict[str, Any] | None',
    },
)


RoundList = TypedDict(
    "RoundList",
    {
        "object": 'Literal["list"]',
        "data": 'list[RoundSummary]',
    },
)


RoundSummary = TypedDict(
    "RoundSummary",
    {
        "object": 'Literal["round_summary"]',
        "id": 'str',
        "date": 'str',
        "state": 'Literal["planned", "under_way", "done", "cancelled"]',
        "truck": 'dict[str, Any]',
        "driver": 'dict[str, Any] | None',
        "volume_unit": 'Literal["liters", "gallons"]',
        "volume": 'float',
        "load_volume": 'float',
        "counts": 'dict[str, Any]',
        "undo_until": 'str | None',
    },
)


FleetRound = TypedDict(
    "FleetRound",
    {
        "object": 'Literal["fleet_round"]',
        "id": 'str',
        "date": 'str',
        "state": 'Literal["planned", "under_way", "done", "cancelled"]',
        "truck": 'dict[str, Any]',
        "driver": 'dict[str, Any] | None',
        "volume_unit": 'Literal["liters", "gallons"]',
        "volume": 'float',
        "load_volume": 'float',
        "counts": 'dict[str, Any]',
        "undo_until": 'str | None',
        "fill_to_percentage": 'float',
        "chance_limit": 'float',
        "depot": 'dict[str, Any]',
        "straight_line_km": 'float',
        "print": 'dict[str, Any] | None',
        "stops": 'list[FleetStop]',
    },
)


FleetStop = TypedDict(
    "FleetStop",
    {
        "number": 'int',
        "kind": 'Literal["must", "could", "added"]',
        "volume": 'float',
        "planned_volume": 'float',
        "volume_from": 'Literal["level", "person", "plan"]',
        "is_volume_changed": 'bool',
        "chance": 'float | None',
        "fill_percentage": 'float | None',
        "planned_fill_percentage": 'float | None',
        "is_filled_meanwhile": 'bool',
        "block": 'dict[str, Any] | None',
        "is_other_product": 'bool',
        "outcome": 'Literal["open", "delivered", "not_possible", "not_done"]',
        "outcome_from": 'Literal["driver", "person", "gauge", None]',
        "outcome_at": 'str | None',
        "reason": 'Literal["no_access", "refused", "full", "truck_empty", "unsafe", "other", None]',
        "delivered_volume": 'float | None',
        "seen_volume": 'float | None',
        "contradiction": 'Literal["refill_seen", "no_refill_seen", None]',
        "tank": 'dict[str, Any] | None',
        "notes": 'list[str]',
        "comment": 'str | None',
        "note": 'str | None',
        "said_by_name": 'str | None',
        "other_entry": 'OtherStopEntry | None',
    },
)


OtherStopEntry = TypedDict(
    "OtherStopEntry",
    {
        "from": 'Literal["driver", "person"]',
        "kind": 'Literal["delivered", "not_possible"]',
        "volume": 'float | None',
        "reason": 'Literal["no_access", "refused", "full", "truck_empty", "unsafe", "other", None]',
        "comment": 'str | None',
        "note": 'str | None',
        "at": 'str',
        "said_by_name": 'str | None',
    },
)


Settings = TypedDict(
    "Settings",
    {
        "object": 'Literal["settings"]',
        "organization": 'dict[str, Any]',
        "thresholds": 'list[dict[str, Any]]',
        "contacts": 'list[dict[str, Any]]',
        "webhooks": 'list[dict[str, Any]]',
    },
)


Score = TypedDict(
    "Score",
    {
        "object": 'Literal["score"]',
        "computed_at": 'str | None',
        "since": 'str | None',
        "tanks": 'int',
        "scored_tanks": 'int',
        "groups": 'list[dict[str, Any]]',
    },
)


ChangedTanks = TypedDict(
    "ChangedTanks",
    {
        "ids": 'list[str]',
    },
)


ManagedCustomer = TypedDict(
    "ManagedCustomer",
    {
        "id": 'str',
        "object": 'Literal["customer"]',
        "external_key": 'str | None',
        "email": 'str',
        "name": 'str',
        "phone": 'str | None',
        "phones": 'list[Phone]',
        "is_verified": 'bool',
        "verified_at": 'str | None',
        "reminders_off_since": 'str | None',
        "created_at": 'str',
        "updated_at": 'str',
        "etag": 'str',
    },
)


NewCustomer = TypedDict(
    "NewCustomer",
    {
        "external_key": NotRequired['str | None'],
        "email": 'str',
        "name": 'str',
        "phone": NotRequired['str | None'],
        "phones": NotRequired['list[Phone]'],
        "is_verified": NotRequired['bool'],
        "created_at": NotRequired['str'],
    },
)


CustomerPatch = TypedDict(
    "CustomerPatch",
    {
        "external_key": NotRequired['str | None'],
        "email": NotRequired['str'],
        "name": NotRequired['str'],
        "phone": NotRequired['str | None'],
        "phones": NotRequired['list[Phone]'],
        "is_verified": NotRequired['bool'],
    },
)


Deletion = TypedDict(
    "Deletion",
    {
        "object": 'Literal["deletion"]',
        "tanks": 'int',
        "readings": 'int',
        "open_stops": 'int',
        "notes": 'int',
        "delivery_notes": 'int',
    },
)


TankOfOwner = TypedDict(
    "TankOfOwner",
    {
        "name": 'str',
        "capacity": 'float',
        "capacity_unit": 'Literal["liters", "gallons"]',
        "min_fill_alert_percentage": 'int',
        "custom_id": NotRequired['str | None'],
        "use_case": NotRequired['Literal["residential", "commercial", "industrial", None]'],
        "external_key": NotRequired['str | None'],
        "report_interval_hours": NotRequired['int | None'],
        "is_mobile": NotRequired['bool'],
        "product": NotRequired['Literal["propane", "butane", "lpg_mix", "heating_oil", "diesel", "gasoline", "kerosene", "water", "def", "other", None]'],
        "fill_limit_percentage": NotRequired['int | None'],
        "order_threshold_percentage": NotRequired['int | None'],
        "location": NotRequired['dict[str, Any]'],
        "owner_id": NotRequired['str'],
        "assigned_device_id": NotRequired['str'],
        "created_at": NotRequired['str'],
    },
)


TankByKey = TypedDict(
    "TankByKey",
    {
        "name": 'str',
        "capacity": 'float',
        "capacity_unit": 'Literal["liters", "gallons"]',
        "min_fill_alert_percentage": 'int',
        "custom_id": NotRequired['str | None'],
        "use_case": NotRequired['Literal["residential", "commercial", "industrial", None]'],
        "external_key": NotRequired['str | None'],
        "report_interval_hours": NotRequired['int | None'],
        "is_mobile": NotRequired['bool'],
        "product": NotRequired['Literal["propane", "butane", "lpg_mix", "heating_oil", "diesel", "gasoline", "kerosene", "water", "def", "other", None]'],
        "fill_limit_percentage": NotRequired['int | None'],
        "order_threshold_percentage": NotRequired['int | None'],
        "location": NotRequired['dict[str, Any]'],
        "owner_id": NotRequired['str'],
        "owner_external_key": NotRequired['str'],
        "assigned_device_id": NotRequired['str'],
        "created_at": NotRequired['str'],
    },
)


NewTank = TypedDict(
    "NewTank",
    {
        "name": 'str',
        "capacity": 'float',
        "capacity_unit": 'Literal["liters", "gallons"]',
        "min_fill_alert_percentage": 'int',
        "custom_id": NotRequired['str | None'],
        "use_case": NotRequired['Literal["residential", "commercial", "industrial", None]'],
        "external_key": NotRequired['str | None'],
        "report_interval_hours": NotRequired['int | None'],
        "is_mobile": NotRequired['bool'],
        "product": NotRequired['Literal["propane", "butane", "lpg_mix", "heating_oil", "diesel", "gasoline", "kerosene", "water", "def", "other", None]'],
        "fill_limit_percentage": NotRequired['int | None'],
        "order_threshold_percentage": NotRequired['int | None'],
        "location": NotRequired['dict[str, Any]'],
        "owner_id": 'str',
        "assigned_device_id": NotRequired['str'],
        "created_at": NotRequired['str'],
    },
)


TankPatch = TypedDict(
    "TankPatch",
    {
        "name": NotRequired['str'],
        "capacity": NotRequired['float'],
        "capacity_unit": NotRequired['Literal["liters", "gallons"]'],
        "min_fill_alert_percentage": NotRequired['int'],
        "custom_id": NotRequired['str | None'],
        "use_case": NotRequired['Literal["residential", "commercial", "industrial", None]'],
        "external_key": NotRequired['str | None'],
        "report_interval_hours": NotRequired['int | None'],
        "is_mobile": NotRequired['bool'],
        "product": NotRequired['Literal["propane", "butane", "lpg_mix", "heating_oil", "diesel", "gasoline", "kerosene", "water", "def", "other", None]'],
        "fill_limit_percentage": NotRequired['int | None'],
        "order_threshold_percentage": NotRequired['int | None'],
        "location": NotRequired['dict[str, Any]'],
        "owner_id": NotRequired['str'],
        "owner_external_key": NotRequired['str'],
    },
)


BulkResult = TypedDict(
    "BulkResult",
    {
        "line": 'int',
        "status": 'Literal["created", "updated", "unchanged", "refused"]',
        "id": 'str | None',
        "etag": 'str | None',
        "errors": 'list[dict[str, Any]]',
    },
)


CustomerLine = TypedDict(
    "CustomerLine",
    {
        "external_key": 'str',
        "email": 'str',
        "name": 'str',
        "phone": NotRequired['str | None'],
        "is_verified": NotRequired['bool'],
        "created_at": NotRequired['str'],
    },
)


TankLine = TypedDict(
    "TankLine",
    {
        "name": 'str',
        "capacity": 'float',
        "capacity_unit": 'Literal["liters", "gallons"]',
        "min_fill_alert_percentage": 'int',
        "custom_id": NotRequired['str | None'],
        "use_case": NotRequired['Literal["residential", "commercial", "industrial", None]'],
        "external_key": NotRequired['str | None'],
        "report_interval_hours": NotRequired['int | None'],
        "is_mobile": NotRequired['bool'],
        "product": NotRequired['Literal["propane", "butane", "lpg_mix", "heating_oil", "diesel", "gasoline", "kerosene", "water", "def", "other", None]'],
        "fill_limit_percentage": NotRequired['int | None'],
        "order_threshold_percentage": NotRequired['int | None'],
        "location": NotRequired['dict[str, Any]'],
        "owner_id": NotRequired['str'],
        "owner_external_key": NotRequired['str'],
        "assigned_device_id": NotRequired['str'],
        "created_at": NotRequired['str'],
    },
)


DeliveryNoteLine = TypedDict(
    "DeliveryNoteLine",
    {
        "series": NotRequired['str'],
        "number": 'str',
        "at": 'str',
        "volume": 'float',
        "unit": NotRequired['str | None'],
        "tank": NotRequired['str | None'],
        "customer": NotRequired['str | None'],
        "truck": NotRequired['str | None'],
        "driver": NotRequired['str | None'],
        "product": NotRequired['Literal["propane", "butane", "lpg_mix", "heating_oil", "diesel", "gasoline", "kerosene", "water", "def", "other", None]'],
        "compensated": NotRequired['bool | None'],
        "product_temperature": NotRequired['float | None'],
        "filled_to": NotRequired['float | None'],
        "reference": NotRequired['str | None'],
        "status": NotRequired['Literal["valid", "cancelled"]'],
    },
)


ImportReport = TypedDict(
    "ImportReport",
    {
        "object": 'Literal["import_report"]',
        "what": 'Literal["customers", "tanks"]',
        "sheets": 'list[str]',
        "columns": 'list[dict[str, Any]]',
        "mapped_columns": 'list[dict[str, Any]]',
        "constants": 'list[dict[str, Any]]',
        "mapped_as_at": 'str | None',
        "fields": 'list[dict[str, Any]]',
        "missing": 'list[str]',
        "counts": 'dict[str, Any] | None',
        "levels": 'dict[str, Any] | None',
        "refused_rows": 'list[dict[str, Any]]',
        "import": 'Import | None',
    },
)


Import = TypedDict(
    "Import",
    {
        "id": 'str',
        "object": 'Literal["import"]',
        "what": 'Literal["customers", "tanks"]',
        "file_name": 'str',
        "created_at": 'str',
        "actor": 'str',
        "name": 'str | None',
        "rows": 'int',
        "created": 'int',
        "updated": 'int',
        "unchanged": 'int',
        "refused": 'int',
        "undo_until": 'str | None',
        "undone_at": 'str | None',
    },
)


Imports = TypedDict(
    "Imports",
    {
        "object": 'Literal["list"]',
        "data": 'list[Import]',
    },
)


UndoneImport = TypedDict(
    "UndoneImport",
    {
        "object": 'Literal["undone_import"]',
        "deleted": 'int',
        "restored": 'int',
        "kept": 'int',
        "kept_rows": 'list[dict[str, Any]]',
    },
)


StoredDevices = TypedDict(
    "StoredDevices",
    {
        "object": 'Literal["list"]',
        "data": 'list[StoredDevice]',
        "total": 'int',
    },
)


StoredDevice = TypedDict(
    "StoredDevice",
    {
        "device_id": 'str',
        "heard_at": 'str | None',
        "taken_off_at": 'str | None',
        "last_tank": 'dict[str, Any] | None',
        "is_revoked": 'bool',
        "profile": 'str | None',
        "battery_percent": 'float | None',
        "battery_v": 'float | None',
    },
)


KnownDevice = TypedDict(
    "KnownDevice",
    {
        "object": 'Literal["device"]',
        "device_id": 'str',
        "tank_id": 'str | None',
        "heard_at": 'str | None',
        "profile": 'str | None',
        "maker": 'str | None',
        "model": 'str | None',
        "recognized_by": 'Literal["assignment", "messages", None]',
        "channels": 'list[int]',
        "measures": 'list[Literal["distance", "height", "length", "pressure", "raw"]]',
        "reports_level": 'bool',
        "battery_v": 'float | None',
        "battery_percent": 'float | None',
        "signal_dbm": 'float | None',
        "signal_percent": 'float | None',
        "last_rejection": 'dict[str, Any] | None',
    },
)


DeviceAssignment = TypedDict(
    "DeviceAssignment",
    {
        "device_id": 'str',
        "exchange": NotRequired['Literal["swap", "release"] | dict[str, Any]'],
        "revoke_old": NotRequired['bool'],
    },
)


DevicePassword = TypedDict(
    "DevicePassword",
    {
        "object": 'Literal["device_password"]',
        "device_id": 'str',
        "user_name": 'str',
        "password": 'str | None',
        "generation": 'int',
    },
)


PasswordRequest = TypedDict(
    "PasswordRequest",
    {
        "rotate": NotRequired['bool'],
    },
)


GaugeProfiles = TypedDict(
    "GaugeProfiles",
    {
        "object": 'Literal["list"]',
        "data": 'list[GaugeProfile]',
    },
)


GaugeProfile = TypedDict(
    "GaugeProfile",
    {
        "object": 'Literal["gauge_profile"]',
        "profile": 'str',
        "maker": 'str',
        "device": 'str',
        "models": 'list[str]',
        "is_own": 'bool',
        "definition": 'dict[str, Any]',
    },
)


NewGaugeProfile = TypedDict(
    "NewGaugeProfile",
    {
        "definition": 'dict[str, Any]',
    },
)


ProfileAssignments = TypedDict(
    "ProfileAssignments",
    {
        "object": 'Literal["list"]',
        "data": 'list[ProfileAssignment]',
    },
)


ProfileAssignment = TypedDict(
    "ProfileAssignment",
    {
        "object": 'Literal["profile_assignment"]',
        "selector": 'str',
        "profile": 'str',
        "settings": 'dict[str, Any] | None',
    },
)


NewProfileAssignment = TypedDict(
    "NewProfileAssignment",
    {
        "profile": 'str',
        "settings": NotRequired['dict[str, Any] | None'],
    },
)


Note = TypedDict(
    "Note",
    {
        "id": 'str',
        "object": 'Literal["note"]',
        "tank_id": 'str',
        "text": 'str',
        "prints": 'bool',
        "written_by": 'str',
        "created_at": 'str',
        "updated_at": 'str',
        "etag": 'str',
    },
)


NewNote = TypedDict(
    "NewNote",
    {
        "text": 'str',
        "prints": NotRequired['bool'],
    },
)


Notes = TypedDict(
    "Notes",
    {
        "object": 'Literal["list"]',
        "data": 'list[Note]',
    },
)


NotePatch = TypedDict(
    "NotePatch",
    {
        "text": NotRequired['str'],
        "prints": NotRequired['bool'],
    },
)


TankGauges = TypedDict(
    "TankGauges",
    {
        "object": 'Literal["tank_gauges"]',
        "tank_id": 'str',
        "is_recomputing": 'bool',
        "gauges": 'list[dict[str, Any]]',
        "latest_measure": 'dict[str, Any] | None',
        "etag": 'str',
    },
)


NewTankGauges = TypedDict(
    "NewTankGauges",
    {
        "gauges": 'list[NewGauge]',
    },
)


NewGauge = TypedDict(
    "NewGauge",
    {
        "from_at": 'str | None',
        "shape": 'dict[str, Any]',
        "measures": 'Literal["distance", "height", "pressure", "raw"]',
        "offset_mm": 'float',
        "density_kg_m3": NotRequired['float'],
        "range": NotRequired['dict[str, Any]'],
    },
)


GaugeCalibration = TypedDict(
    "GaugeCalibration",
    {
        "object": 'Literal["gauge_calibration"]',
        "tank_id": 'str',
        "points": 'list[dict[str, Any]]',
        "left_out": 'int',
        "fits": 'list[dict[str, Any]]',
        "better": 'Literal["as_described", "other_offset", "horizontal_120_gal", "horizontal_250_gal", "horizontal_500_gal", "horizontal_1000_gal", "upright_275_gal", "flat_275_gal", None]',
    },
)


CalibrationRequest = TypedDict(
    "CalibrationRequest",
    {
        "dials": NotRequired['list[dict[str, Any]]'],
        "with_deliveries": NotRequired['bool'],
    },
)


Depots = TypedDict(
    "Depots",
    {
        "object": 'Literal["list"]',
        "data": 'list[Depot]',
    },
)


Depot = TypedDict(
    "Depot",
    {
        "id": 'str',
        "object": 'Literal["depot"]',
        "name": 'str',
        "latitude": 'float',
        "longitude": 'float',
        "external_key": 'str | None',
        "is_archived": 'bool',
        "created_at": 'str',
        "updated_at": 'str',
        "etag": 'str',
    },
)


NewDepot = TypedDict(
    "NewDepot",
    {
        "name": 'str',
        "latitude": 'float',
        "longitude": 'float',
        "external_key": NotRequired['str | None'],
        "is_archived": NotRequired['bool'],
    },
)


DepotPatch = TypedDict(
    "DepotPatch",
    {
        "name": NotRequired['str'],
        "latitude": NotRequired['float'],
        "longitude": NotRequired['float'],
        "external_key": NotRequired['str | None'],
        "is_archived": NotRequired['bool'],
    },
)


Trucks = TypedDict(
    "Trucks",
    {
        "object": 'Literal["list"]',
        "data": 'list[Truck]',
    },
)


Truck = TypedDict(
    "Truck",
    {
        "id": 'str',
        "object": 'Literal["truck"]',
        "name": 'str',
        "depot_id": 'str',
        "capacity": 'float',
        "capacity_unit": 'Literal["liters", "gallons"]',
        "product": 'str | None',
        "is_compensated": 'bool | None',
        "external_key": 'str | None',
        "is_archived": 'bool',
        "created_at": 'str',
        "updated_at": 'str',
        "etag": 'str',
    },
)


NewTruck = TypedDict(
    "NewTruck",
    {
        "name": 'str',
        "depot_id": 'str',
        "capacity": 'float',
        "capacity_unit": 'Literal["liters", "gallons"]',
        "product": NotRequired['str | None'],
        "is_compensated": NotRequired['bool | None'],
        "external_key": NotRequired['str | None'],
        "is_archived": NotRequired['bool'],
    },
)


TruckPatch = TypedDict(
    "TruckPatch",
    {
        "name": NotRequired['str'],
        "depot_id": NotRequired['str'],
        "capacity": NotRequired['float'],
        "capacity_unit": NotRequired['Literal["liters", "gallons"]'],
        "product": NotRequired['str | None'],
        "is_compensated": NotRequired['bool | None'],
        "external_key": NotRequired['str | None'],
        "is_archived": NotRequired['bool'],
    },
)


Drivers = TypedDict(
    "Drivers",
    {
        "object": 'Literal["list"]',
        "data": 'list[Driver]',
    },
)


Driver = TypedDict(
    "Driver",
    {
        "id": 'str',
        "object": 'Literal["driver"]',
        "name": 'str',
        "phone": 'str | None',
        "external_key": 'str | None',
        "is_archived": 'bool',
        "created_at": 'str',
        "updated_at": 'str',
        "etag": 'str',
    },
)


NewDriver = TypedDict(
    "NewDriver",
    {
        "name": 'str',
        "phone": NotRequired['str | None'],
        "external_key": NotRequired['str | None'],
        "is_archived": NotRequired['bool'],
    },
)


DriverPatch = TypedDict(
    "DriverPatch",
    {
        "name": NotRequired['str'],
        "phone": NotRequired['str | None'],
        "external_key": NotRequired['str | None'],
        "is_archived": NotRequired['bool'],
    },
)


DeliveryDaysList = TypedDict(
    "DeliveryDaysList",
    {
        "object": 'Literal["list"]',
        "data": 'list[DeliveryDays]',
    },
)


DeliveryDays = TypedDict(
    "DeliveryDays",
    {
        "object": 'Literal["delivery_days"]',
        "city": 'str | None',
        "tank_id": 'str | None',
        "weekdays": 'list[int]',
    },
)


NewDeliveryDays = TypedDict(
    "NewDeliveryDays",
    {
        "weekdays": 'list[int]',
    },
)


Round = TypedDict(
    "Round",
    {
        "id": 'str',
        "object": 'Literal["round"]',
        "date": 'str',
        "truck_id": 'str',
        "driver_id": 'str | None',
        "state": 'Literal["planned", "under_way", "done", "cancelled"]',
        "fill_to_percentage": 'float',
        "chance_limit": 'float',
        "volume_unit": 'Literal["liters", "gallons"]',
        "stops": 'list[RoundStop]',
        "created_at": 'str',
        "updated_at": 'str',
        "etag": 'str',
    },
)


RoundStop = TypedDict(
    "RoundStop",
    {
        "number": 'int',
        "kind": 'Literal["must", "could", "added"]',
        "volume": 'float',
        "planned_volume": 'float',
        "volume_from": 'Literal["level", "person", "plan"]',
        "is_volume_changed": 'bool',
        "chance": 'float | None',
        "fill_percentage": 'float | None',
        "planned_fill_percentage": 'float | None',
        "is_filled_meanwhile": 'bool',
        "block": 'dict[str, Any] | None',
        "is_other_product": 'bool',
        "outcome": 'Literal["open", "delivered", "not_possible", "not_done"]',
        "outcome_from": 'Literal["driver", "person", "gauge", None]',
        "outcome_at": 'str | None',
        "reason": 'Literal["no_access", "refused", "full", "truck_empty", "unsafe", "other", None]',
        "delivered_volume": 'float | None',
        "seen_volume": 'float | None',
        "contradiction": 'Literal["refill_seen", "no_refill_seen", None]',
        "tank_id": 'str | None',
    },
)


NewRound = TypedDict(
    "NewRound",
    {
        "date": 'str',
        "truck_id": NotRequired['str'],
        "truck_external_key": NotRequired['str'],
        "driver_id": NotRequired['str | None'],
        "driver_external_key": NotRequired['str'],
        "fill_to_percentage": NotRequired['float'],
        "chance_limit": NotRequired['float'],
        "stops": NotRequired['list[NewStop]'],
    },
)


NewStop = TypedDict(
    "NewStop",
    {
        "tank_id": NotRequired['str'],
        "tank_external_key": NotRequired['str'],
        "kind": NotRequired['Literal["must", "could", "added"]'],
        "volume": NotRequired['float | None'],
        "is_kept": NotRequired['bool'],
    },
)


RoundPatch = TypedDict(
    "RoundPatch",
    {
        "date": NotRequired['str'],
        "truck_id": NotRequired['str'],
        "truck_external_key": NotRequired['str'],
        "driver_id": NotRequired['str | None'],
        "driver_external_key": NotRequired['str'],
        "fill_to_percentage": NotRequired['float'],
        "chance_limit": NotRequired['float'],
        "state": NotRequired['Literal["planned", "under_way", "done", "cancelled"]'],
    },
)


RoundPrint = TypedDict(
    "RoundPrint",
    {
        "object": 'Literal["round_print"]',
        "at": 'str',
        "replaces": 'str | None',
    },
)


StopOrder = TypedDict(
    "StopOrder",
    {
        "stops": 'list[NewStop]',
    },
)


VroomOrder = TypedDict(
    "VroomOrder",
    {
        "solution": 'dict[str, Any]',
    },
)


StopOutcome = TypedDict(
    "StopOutcome",
    {
        "outcome": 'Literal["delivered", "not_possible", "open"]',
        "volume": NotRequired['float'],
        "reason": NotRequired['Literal["no_access", "refused", "full", "truck_empty", "unsafe", "other"]'],
    },
)


NewStopEntry = TypedDict(
    "NewStopEntry",
    {
        "kind": 'Literal["delivered", "not_possible", "reopened"]',
        "volume": NotRequired['float'],
        "reason": NotRequired['Literal["no_access", "refused", "full", "truck_empty", "unsafe", "other"]'],
        "comment": NotRequired['str'],
        "note": NotRequired['str'],
        "filled_to": NotRequired['float'],
        "at": NotRequired['str'],
        "is_correction": NotRequired['bool'],
    },
)


MovedStop = TypedDict(
    "MovedStop",
    {
        "object": 'Literal["moved_stop"]',
        "from": 'Round',
        "to": 'Round',
    },
)


StopMove = TypedDict(
    "StopMove",
    {
        "truck_id": 'str',
    },
)


RoundProposal = TypedDict(
    "RoundProposal",
    {
        "object": 'Literal["round_proposal"]',
        "date": 'str',
        "truck_id": 'str',
        "volume_unit": 'Literal["liters", "gallons"]',
        "capacity": 'float',
        "volume": 'float',
        "loads": 'int',
        "beyond_one_load": 'float',
        "straight_line_km": 'float',
        "stops": 'list[ProposedStop]',
        "musts_left": 'list[dict[str, Any]]',
        "could": 'list[dict[str, Any]]',
        "no_forecast": 'list[ProposedTank]',
        "not_offered": 'dict[str, Any]',
        "looked_at": 'int',
        "is_complete": 'bool',
    },
)


ProposedStop = TypedDict(
    "ProposedStop",
    {
        "tank_id": 'str',
        "name": 'str',
        "custom_id": 'str | None',
        "city": 'str | None',
        "latitude": 'float | None',
        "longitude": 'float | None',
        "owner_name": 'str',
        "owner_phone": 'str | None',
        "fill_percentage": 'float | None',
        "days_to_empty": 'float | None',
        "earliest_days_to_empty": 'float | None',
        "chance": 'float | None',
        "is_silent": 'bool',
        "reading": 'dict[str, Any] | None',
        "estimate": 'dict[str, Any] | None',
        "kind": 'Literal["must", "could"]',
        "volume": 'float',
    },
)


ProposedTank = TypedDict(
    "ProposedTank",
    {
        "tank_id": 'str',
        "name": 'str',
        "custom_id": 'str | None',
        "city": 'str | None',
        "latitude": 'float | None',
        "longitude": 'float | None',
        "owner_name": 'str',
        "owner_phone": 'str | None',
        "fill_percentage": 'float | None',
        "days_to_empty": 'float | None',
        "earliest_days_to_empty": 'float | None',
        "chance": 'float | None',
        "is_silent": 'bool',
        "reading": 'dict[str, Any] | None',
        "estimate": 'dict[str, Any] | None',
    },
)


RoundRequest = TypedDict(
    "RoundRequest",
    {
        "date": 'str',
        "truck_id": 'str',
        "round_id": NotRequired['str'],
        "cities": NotRequired['list[str]'],
        "called_tank_ids": NotRequired['list[str]'],
        "fill_to_percentage": NotRequired['float'],
        "chance_limit": NotRequired['float'],
    },
)


DeliveryNote = TypedDict(
    "DeliveryNote",
    {
        "id": 'str',
        "object": 'Literal["delivery_note"]',
        "series": 'str',
        "number": 'str',
        "at": 'str',
        "precision": 'Literal["minute", "day"]',
        "volume": 'float',
        "unit": 'Literal["liters", "gallons"]',
        "customer_id": 'str',
        "tank_id": 'str | None',
        "truck_id": 'str | None',
        "driver_id": 'str | None',
        "product": 'Literal["propane", "butane", "lpg_mix", "heating_oil", "diesel", "gasoline", "kerosene", "water", "def", "other", None]',
        "is_other_product": 'bool',
        "compensated": 'bool | None',
        "product_temperature": 'float | None',
        "filled_to": 'float | None',
        "reference": 'str | None',
        "status": 'Literal["valid", "cancelled"]',
        "source": 'Literal["api", "console", "import", "driver"]',
        "written_by": 'str',
        "pins": 'list[dict[str, Any]]',
        "earlier": 'list[dict[str, Any]]',
        "created_at": 'str',
        "updated_at": 'str',
        "etag": 'str',
    },
)


NewDeliveryNote = TypedDict(
    "NewDeliveryNote",
    {
        "at": 'str',
        "volume": 'float',
        "unit": NotRequired['str | None'],
        "tank": NotRequired['str | None'],
        "customer": NotRequired['str | None'],
        "truck": NotRequired['str | None'],
        "driver": NotRequired['str | None'],
        "product": NotRequired['Literal["propane", "butane", "lpg_mix", "heating_oil", "diesel", "gasoline", "kerosene", "water", "def", "other", None]'],
        "compensated": NotRequired['bool | None'],
        "product_temperature": NotRequired['float | None'],
        "filled_to": NotRequired['float | None'],
        "reference": NotRequired['str | None'],
        "status": NotRequired['Literal["valid", "cancelled"]'],
    },
)


NewPin = TypedDict(
    "NewPin",
    {
        "kind": 'Literal["together", "apart"]',
        "tank_id": 'str',
        "refill_at": 'str',
    },
)


Dip = TypedDict(
    "Dip",
    {
        "object": 'Literal["dip"]',
        "tank_id": 'str',
        "fill_percentage": 'float',
        "created_at": 'str',
    },
)


NewDip = TypedDict(
    "NewDip",
    {
        "fill_percentage": 'float',
        "created_at": NotRequired['str'],
    },
)


Estimate = TypedDict(
    "Estimate",
    {
        "object": 'Literal["estimate"]',
        "tank_id": 'str',
        "is_told": 'bool',
    },
)


NewEstimate = TypedDict(
    "NewEstimate",
    {
        "is_told": 'bool',
    },
)


DriverLink = TypedDict(
    "DriverLink",
    {
        "object": 'Literal["driver_link"]',
        "round_id": 'str',
        "url": 'str',
        "read_until": 'str',
        "send_until": 'str',
    },
)


DriverEntries = TypedDict(
    "DriverEntries",
    {
        "object": 'Literal["list"]',
        "data": 'list[DriverEntry]',
    },
)


DriverEntry = TypedDict(
    "DriverEntry",
    {
        "id": 'str',
        "stop": 'int',
        "tank_id": 'str | None',
        "kind": 'Literal["delivered"] | Literal["not_possible"] | Literal["reopened"]',
        "volume": 'float | None',
        "unit": 'Literal["liters"] | Literal["gallons"] | None',
        "reason": 'Literal["no_access"] | Literal["refused"] | Literal["full"] | Literal["truck_empty"] | Literal["unsafe"] | Literal["other"] | None',
        "comment": 'str | None',
        "note": 'str | None',
        "filled_to": 'float | None',
        "at": 'str',
        "received_at": 'str',
        "recorded_by": 'str | None',
        "recorded_by_name": 'str | None',
        "is_correction": 'bool',
    },
)


Acknowledgements = TypedDict(
    "Acknowledgements",
    {
        "object": 'Literal["list"]',
        "data": 'list[Acknowledgement]',
    },
)


Acknowledgement = TypedDict(
    "Acknowledgement",
    {
        "id": 'str',
        "object": 'Literal["acknowledgement"]',
        "tank_id": 'str',
        "condition": 'Literal["losing", "low", "gauge_unreliable", "silent", "device"]',
        "until": 'str',
        "comment": 'str | None',
        "returns_at_percentage": 'float | None',
        "acknowledged_by": 'str',
        "name": 'str | None',
        "created_at": 'str',
        "ended_at": 'str | None',
        "ended_because": 'Literal["resolved", "new_event", "worse", "expired", "withdrawn", "replaced", None]',
    },
)


NewAcknowledgement = TypedDict(
    "NewAcknowledgement",
    {
        "conditions": 'list[Literal["losing", "low", "gauge_unreliable", "silent", "device"]]',
        "until": 'str',
        "comment": NotRequired['str | None'],
        "replaces": NotRequired['list[str]'],
    },
)


Mute = TypedDict(
    "Mute",
    {
        "id": 'str',
        "object": 'Literal["mute"]',
        "tank_id": 'str',
        "until": 'str',
        "reason": 'str | None',
        "muted_by": 'str',
        "created_at": 'str',
    },
)


NewMute = TypedDict(
    "NewMute",
    {
        "until": 'str',
        "reason": NotRequired['str | None'],
    },
)


Contact = TypedDict(
    "Contact",
    {
        "id": 'str',
        "object": 'Literal["contact"]',
        "email": 'str',
        "name": 'str | None',
        "types": 'list[Literal["tank.low_fill", "tank.fill_recovered", "tank.order_due", "tank.refilled", "tank.overfilled", "tank.rapid_loss", "tank.unusual_use", "tank.device_silent", "tank.device_reporting", "tank.gauge_unreliable", "tank.gauge_reliable"]]',
        "digest_at": 'str | None',
        "roles": 'list[Literal["viewer", "dispatcher", "technician", "administrator"]]',
        "language": 'Literal["en", "es", None]',
        "invited_at": 'str | None',
        "last_seen_at": 'str | None',
        "created_at": 'str',
        "etag": 'str',
    },
)


NewContact = TypedDict(
    "NewContact",
    {
        "email": 'str',
        "name": NotRequired['str | None'],
        "types": 'list[Literal["tank.low_fill", "tank.fill_recovered", "tank.order_due", "tank.refilled", "tank.overfilled", "tank.rapid_loss", "tank.unusual_use", "tank.device_silent", "tank.device_reporting", "tank.gauge_unreliable", "tank.gauge_reliable"]]',
        "digest_at": NotRequired['str | None'],
        "roles": NotRequired['list[Literal["viewer", "dispatcher", "technician", "administrator"]]'],
        "language": NotRequired['Literal["en", "es", None]'],
        "invite": NotRequired['bool'],
    },
)


Contacts = TypedDict(
    "Contacts",
    {
        "object": 'Literal["list"]',
        "data": 'list[Contact]',
    },
)


ContactPatch = TypedDict(
    "ContactPatch",
    {
        "name": NotRequired['str | None'],
        "types": NotRequired['list[Literal["tank.low_fill", "tank.fill_recovered", "tank.order_due", "tank.refilled", "tank.overfilled", "tank.rapid_loss", "tank.unusual_use", "tank.device_silent", "tank.device_reporting", "tank.gauge_unreliable", "tank.gauge_reliable"]]'],
        "digest_at": NotRequired['str | None'],
        "roles": NotRequired['list[Literal["viewer", "dispatcher", "technician", "administrator"]]'],
        "language": NotRequired['Literal["en", "es", None]'],
    },
)


Invitation = TypedDict(
    "Invitation",
    {
    },
)


DutyPlan = TypedDict(
    "DutyPlan",
    {
        "object": 'Literal["duty_plan"]',
        "shifts": 'list[Shift]',
        "exceptions": 'list[DutyException]',
        "escalates": 'bool',
        "first_minutes": 'float',
        "next_minutes": 'float',
        "all_minutes": 'float',
        "repeat_minutes": 'float | None',
        "empty_percentage": 'float | None',
        "time_zone": 'str',
        "sends_texts": 'bool',
        "now": 'dict[str, Any]',
        "week_from": 'str',
        "week": 'list[dict[str, Any]]',
        "etag": 'str',
    },
)


Shift = TypedDict(
    "Shift",
    {
        "weekdays": 'list[int]',
        "from": 'str',
        "to": 'str',
        "contact_id": 'str | None',
        "next_contact_id": 'str | None',
    },
)


DutyException = TypedDict(
    "DutyException",
    {
        "from": 'str',
        "to": 'str',
        "contact_id": 'str | None',
        "next_contact_id": 'str | None',
    },
)


NewDutyPlan = TypedDict(
    "NewDutyPlan",
    {
        "shifts": 'list[Shift]',
        "exceptions": 'list[DutyException]',
        "escalates": NotRequired['bool'],
        "first_minutes": NotRequired['float'],
        "next_minutes": NotRequired['float'],
        "all_minutes": NotRequired['float'],
        "repeat_minutes": NotRequired['float | None'],
        "empty_percentage": NotRequired['float | None'],
    },
)


TextChannel = TypedDict(
    "TextChannel",
    {
        "object": 'Literal["text_channel"]',
        "provider": 'Literal["twilio", "vonage", "messagebird", "gateway"]',
        "from": 'str',
        "account": 'str | None',
        "url": 'str | None',
        "daily_limit": 'int',
        "used_today": 'int',
    },
)


NewTextChannel = TypedDict(
    "NewTextChannel",
    {
        "provider": 'Literal["twilio", "vonage", "messagebird", "gateway"]',
        "from": 'str',
        "account": NotRequired['str'],
        "url": NotRequired['str'],
        "secret": 'str',
        "signing_key": NotRequired['str'],
        "daily_limit": NotRequired['int'],
    },
)


ReachList = TypedDict(
    "ReachList",
    {
        "object": 'Literal["list"]',
        "data": 'list[ContactReach]',
    },
)


ContactReach = TypedDict(
    "ContactReach",
    {
        "object": 'Literal["contact_reach"]',
        "contact_id": 'str',
        "name": 'str',
        "phone": 'str | None',
        "by_text": 'bool',
        "by_mail": 'bool',
        "quiet_from": 'str | None',
        "quiet_to": 'str | None',
        "by_push": 'bool',
        "low_by": 'list[Literal["text", "push"]]',
        "other_by": 'list[Literal["text", "push"]]',
        "browsers": 'int',
        "verified_at": 'str | None',
        "last_text": 'dict[str, Any] | None',
    },
)


NewReach = TypedDict(
    "NewReach",
    {
        "phone": 'str | None',
        "by_text": 'bool',
        "by_mail": 'bool',
        "quiet_from": 'str | None',
        "quiet_to": 'str | None',
        "by_push": NotRequired['bool'],
        "low_by": NotRequired['list[Literal["text", "push"]]'],
        "other_by": NotRequired['list[Literal["text", "push"]]'],
    },
)


PhoneCode = TypedDict(
    "PhoneCode",
    {
        "code": 'str',
    },
)


TestText = TypedDict(
    "TestText",
    {
    },
)


Escalations = TypedDict(
    "Escalations",
    {
        "object": 'Literal["list"]',
        "data": 'list[Escalation]',
    },
)


Escalation = TypedDict(
    "Escalation",
    {
        "id": 'str',
        "object": 'Literal["escalation"]',
        "tank_id": 'str',
        "tank_name": 'str | None',
        "condition": 'Literal["losing", "low"]',
        "began_at": 'str',
        "next": 'Literal["on_duty", "next", "all", None]',
        "next_at": 'str | None',
        "taken_at": 'str | None',
        "ended_at": 'str | None',
        "ended_because": 'Literal["over", "told", "unreachable", "failed", None]',
        "texts": 'list[dict[str, Any]]',
    },
)


EscalationStep = TypedDict(
    "EscalationStep",
    {
        "all": NotRequired['bool'],
    },
)


WebhookWithSecret = TypedDict(
    "WebhookWithSecret",
    {
        "id": 'str',
        "object": 'Literal["webhook"]',
        "url": 'str',
        "types": 'list[Literal["tank.low_fill", "tank.fill_recovered", "tank.order_due", "tank.refilled", "tank.overfilled", "tank.rapid_loss", "tank.unusual_use", "tank.device_silent", "tank.device_reporting", "tank.gauge_unreliable", "tank.gauge_reliable", "tank.acknowledged", "tank.acknowledgement_ended", "tank.muted", "tank.unmuted", "device.battery_low", "device.battery_ok", "connector.down", "connector.up", "customer.changed", "tank.changed", "round.changed", "stop.changed", "delivery_note.changed", "verdict.changed"]]',
        "enabled": 'bool',
        "disabled_at": 'str | None',
        "disabled_because": 'Literal["operator", "gone", "failing", None]',
        "failing_since": 'str | None',
        "previous_secret_until": 'str | None',
        "last_test": 'dict[str, Any] | None',
        "created_at": 'str',
        "etag": 'str',
        "secret": 'str | None',
    },
)


NewWebhook = TypedDict(
    "NewWebhook",
    {
        "url": 'str',
        "types": NotRequired['list[Literal["tank.low_fill", "tank.fill_recovered", "tank.order_due", "tank.refilled", "tank.overfilled", "tank.rapid_loss", "tank.unusual_use", "tank.device_silent", "tank.device_reporting", "tank.gauge_unreliable", "tank.gauge_reliable", "tank.acknowledged", "tank.acknowledgement_ended", "tank.muted", "tank.unmuted", "device.battery_low", "device.battery_ok", "connector.down", "connector.up", "customer.changed", "tank.changed", "round.changed", "stop.changed", "delivery_note.changed", "verdict.changed"]]'],
    },
)


Webhooks = TypedDict(
    "Webhooks",
    {
        "object": 'Literal["list"]',
        "data": 'list[Webhook]',
    },
)


Webhook = TypedDict(
    "Webhook",
    {
        "id": 'str',
        "object": 'Literal["webhook"]',
        "url": 'str',
        "types": 'list[Literal["tank.low_fill", "tank.fill_recovered", "tank.order_due", "tank.refilled", "tank.overfilled", "tank.rapid_loss", "tank.unusual_use", "tank.device_silent", "tank.device_reporting", "tank.gauge_unreliable", "tank.gauge_reliable", "tank.acknowledged", "tank.acknowledgement_ended", "tank.muted", "tank.unmuted", "device.battery_low", "device.battery_ok", "connector.down", "connector.up", "customer.changed", "tank.changed", "round.changed", "stop.changed", "delivery_note.changed", "verdict.changed"]]',
        "enabled": 'bool',
        "disabled_at": 'str | None',
        "disabled_because": 'Literal["operator", "gone", "failing", None]',
        "failing_since": 'str | None',
        "previous_secret_until": 'str | None',
        "last_test": 'dict[str, Any] | None',
        "created_at": 'str',
        "etag": 'str',
    },
)


WebhookPatch = TypedDict(
    "WebhookPatch",
    {
        "url": NotRequired['str'],
        "types": NotRequired['list[Literal["tank.low_fill", "tank.fill_recovered", "tank.order_due", "tank.refilled", "tank.overfilled", "tank.rapid_loss", "tank.unusual_use", "tank.device_silent", "tank.device_reporting", "tank.gauge_unreliable", "tank.gauge_reliable", "tank.acknowledged", "tank.acknowledgement_ended", "tank.muted", "tank.unmuted", "device.battery_low", "device.battery_ok", "connector.down", "connector.up", "customer.changed", "tank.changed", "round.changed", "stop.changed", "delivery_note.changed", "verdict.changed"]]'],
        "enabled": NotRequired['bool'],
    },
)


SecretRotation = TypedDict(
    "SecretRotation",
    {
        "overlap_hours": NotRequired['int'],
    },
)


WebhookTest = TypedDict(
    "WebhookTest",
    {
    },
)


Replay = TypedDict(
    "Replay",
    {
        "object": 'Literal["replay"]',
        "events": 'int',
    },
)


NewReplay = TypedDict(
    "NewReplay",
    {
        "since": NotRequired['str'],
        "event_ids": NotRequired['list[str]'],
    },
)


WebhookDeliveries = TypedDict(
    "WebhookDeliveries",
    {
        "object": 'Literal["list"]',
        "data": 'list[WebhookDelivery]',
        "next": 'str | None',
        "has_more": 'bool',
    },
)


WebhookDelivery = TypedDict(
    "WebhookDelivery",
    {
        "number": 'int',
        "object": 'Literal["delivery"]',
        "event_id": 'str',
        "type": 'str',
        "occurred_at": 'str',
        "tank_id": 'str | None',
        "object_id": 'str | None',
        "status": 'Literal["pending", "delivered", "failed", "canceled"]',
        "attempts": 'int',
        "last_attempt": 'dict[str, Any] | None',
        "next_attempt_at": 'str | None',
    },
)


Connectors = TypedDict(
    "Connectors",
    {
        "object": 'Literal["list"]',
        "data": 'list[Connector]',
    },
)


Connector = TypedDict(
    "Connector",
    {
        "id": 'str',
        "object": 'Literal["connector"]',
        "kind": 'Literal["otodata", "tank_utility", "json", "mqtt", "nws", "dwd", "weather_csv", "home_assistant"]',
        "name": 'str',
        "settings": 'dict[str, Any]',
        "has_secret": 'bool',
        "state": 'Literal["works", "starting", "failing", "down", "refused", "paused"]',
        "paused_at": 'str | None',
        "down_since": 'str | None',
        "last_error": 'str | None',
        "last_attempt_at": 'str | None',
        "last_success_at": 'str | None',
        "next_attempt_at": 'str | None',
        "read_up_to": 'str | None',
        "backfill_from": 'str | None',
        "devices": 'int',
        "tanks": 'int',
        "last_try": 'dict[str, Any] | None',
        "hours": 'list[dict[str, Any]]',
        "created_at": 'str',
        "etag": 'str',
    },
)


NewConnector = TypedDict(
    "NewConnector",
    {
        "kind": 'Literal["otodata", "tank_utility", "json", "mqtt", "nws", "dwd", "weather_csv", "home_assistant"]',
        "name": 'str',
        "settings": 'dict[str, Any]',
        "secret": NotRequired['str'],
        "days": NotRequired['int'],
        "paused": NotRequired['bool'],
    },
)


ConnectorPatch = TypedDict(
    "ConnectorPatch",
    {
        "kind": NotRequired['Literal["otodata", "tank_utility", "json", "mqtt", "nws", "dwd", "weather_csv", "home_assistant"]'],
        "name": NotRequired['str'],
        "settings": NotRequired['dict[str, Any]'],
        "secret": NotRequired['str'],
        "paused": NotRequired['bool'],
    },
)


ConnectorTrial = TypedDict(
    "ConnectorTrial",
    {
    },
)


OrganizationSettings = TypedDict(
    "OrganizationSettings",
    {
        "object": 'Literal["organization"]',
        "default_product": 'Literal["propane", "butane", "lpg_mix", "heating_oil", "diesel", "gasoline", "kerosene", "water", "def", "other"]',
        "reports_unusual_use": 'bool',
    },
)


OrganizationPatch = TypedDict(
    "OrganizationPatch",
    {
        "default_product": NotRequired['Literal["propane", "butane", "lpg_mix", "heating_oil", "diesel", "gasoline", "kerosene", "water", "def", "other"]'],
        "reports_unusual_use": NotRequired['bool'],
    },
)


AuditLog = TypedDict(
    "AuditLog",
    {
        "object": 'Literal["list"]',
        "data": 'list[AuditEntry]',
        "next": 'str | None',
        "has_more": 'bool',
    },
)


AuditEntry = TypedDict(
    "AuditEntry",
    {
        "number": 'int',
        "object": 'Literal["audit_entry"]',
        "at": 'str',
        "actor": 'str',
        "name": 'str | None',
        "action": 'str',
        "changed": 'str',
        "changed_id": 'str | None',
        "changed_name": 'str | None',
        "tank_id": 'str | None',
        "changed_objects": 'int',
        "fields": 'list[str]',
        "request_id": 'str | None',
    },
)


Problem = TypedDict(
    "Problem",
    {
        "type": 'str',
        "title": 'str',
        "status": 'int',
        "detail": 'str',
        "code": 'str',
        "request_id": 'str',
        "errors": NotRequired['list[dict[str, Any]]'],
        "conflicting_id": NotRequired['str'],
    },
)


WebhookData = TypedDict(
    "WebhookData",
    {
        "id": 'str',
        "tank": NotRequired['Tank | dict[str, Any]'],
        "customer": NotRequired['Customer | dict[str, Any]'],
        "tank_custom_id": NotRequired['str | None'],
        "tank_external_key": NotRequired['str | None'],
        "customer_external_key": NotRequired['str | None'],
        "muted_until": NotRequired['str'],
        "event_id": NotRequired['str'],
        "event_type": NotRequired['str'],
        "event_occurred_at": NotRequired['str'],
    },
)
