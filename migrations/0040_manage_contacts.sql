-- What /manage/v1 needs for contacts and for showing the audit log. It only adds rights: 0.2.0 works with it.
grant select (no, id, organization_no, email, types, digest_at, digest_since, roles, name, last_seen_at, created_at, deleted_at)
on contacts to tankwatch_manager;
grant insert on contacts to tankwatch_manager;
grant update (types, digest_at, digest_since, roles, name, email, deleted_at) on contacts to tankwatch_manager;
grant select (no, at, actor, organization_no, object, action, fields, object_nos, request_id) on audit_log to tankwatch_manager;
