#include "risks/held_types.h"

#include <algorithm>
#include <ranges>

#include "check/objects.h"

namespace kinu::risks {
namespace {

constexpr std::string_view kDataTypes[] = {
    // AWS
    "aws_athena_database", "aws_backup_vault", "aws_cloudwatch_log_group",
    "aws_codecommit_repository", "aws_cognito_user_pool", "aws_cloudtrail_event_data_store",
    "aws_db_cluster_snapshot", "aws_db_instance", "aws_db_snapshot", "aws_docdb_cluster",
    "aws_docdb_cluster_instance", "aws_docdbelastic_cluster", "aws_dsql_cluster",
    "aws_dynamodb_global_table", "aws_dynamodb_table", "aws_ebs_snapshot", "aws_ebs_volume",
    "aws_ecr_repository", "aws_efs_file_system", "aws_elasticache_cluster",
    "aws_elasticache_replication_group", "aws_elasticache_serverless_cache",
    "aws_elasticsearch_domain", "aws_fsx_*_file_system", "aws_fsx_*_volume", "aws_glacier_vault",
    "aws_glue_catalog_database", "aws_keyspaces_table", "aws_kinesis_stream", "aws_kms_key",
    "aws_kms_external_key", "aws_lightsail_bucket", "aws_lightsail_database", "aws_lightsail_disk",
    "aws_memorydb_cluster", "aws_mq_broker", "aws_msk_cluster", "aws_msk_serverless_cluster",
    "aws_neptune_cluster", "aws_neptune_cluster_instance", "aws_opensearch_domain",
    "aws_opensearchserverless_collection", "aws_qldb_ledger", "aws_rds_cluster",
    "aws_rds_cluster_instance", "aws_rds_global_cluster", "aws_redshift_cluster",
    "aws_redshiftserverless_namespace", "aws_s3_bucket", "aws_s3_directory_bucket",
    "aws_s3tables_table", "aws_s3tables_table_bucket", "aws_secretsmanager_secret", "aws_sqs_queue",
    "aws_timestreamwrite_database", "aws_timestreamwrite_table",
    // Azure
    "azurerm_app_configuration", "azurerm_container_registry", "azurerm_cosmosdb_account",
    "azurerm_cosmosdb_*_container", "azurerm_cosmosdb_*_database", "azurerm_cosmosdb_*_collection",
    "azurerm_cosmosdb_*_keyspace", "azurerm_cosmosdb_table", "azurerm_data_protection_backup_vault",
    "azurerm_eventhub", "azurerm_eventhub_namespace", "azurerm_key_vault", "azurerm_key_vault_key",
    "azurerm_key_vault_secret", "azurerm_key_vault_certificate", "azurerm_kusto_cluster",
    "azurerm_kusto_database", "azurerm_log_analytics_workspace", "azurerm_managed_disk",
    "azurerm_managed_redis", "azurerm_mssql_database", "azurerm_mssql_managed_database",
    "azurerm_mssql_managed_instance", "azurerm_mssql_server", "azurerm_mysql_flexible_*",
    "azurerm_netapp_volume", "azurerm_postgresql_flexible_server",
    "azurerm_postgresql_flexible_server_database", "azurerm_recovery_services_vault",
    "azurerm_redis_cache", "azurerm_resource_group", "azurerm_search_service",
    "azurerm_servicebus_queue", "azurerm_snapshot", "azurerm_storage_account",
    "azurerm_storage_container", "azurerm_storage_data_lake_gen2_filesystem",
    "azurerm_storage_share", "azurerm_storage_table", "azurerm_synapse_sql_pool",
    // Google
    "google_alloydb_cluster", "google_alloydb_instance", "google_artifact_registry_repository",
    "google_bigquery_dataset", "google_bigquery_table", "google_bigtable_instance",
    "google_bigtable_table", "google_compute_disk", "google_compute_region_disk",
    "google_compute_snapshot", "google_filestore_instance", "google_firestore_database",
    "google_kms_crypto_key", "google_kms_key_ring", "google_memorystore_instance",
    "google_netapp_volume", "google_project", "google_pubsub_subscription", "google_pubsub_topic",
    "google_redis_cluster", "google_redis_instance", "google_secret_manager_secret",
    "google_secret_manager_regional_secret", "google_spanner_database", "google_spanner_instance",
    "google_sql_database", "google_sql_database_instance", "google_storage_bucket",
    // Kubernetes
    "kubernetes_namespace", "kubernetes_namespace_v1", "kubernetes_persistent_volume",
    "kubernetes_persistent_volume_v1", "kubernetes_persistent_volume_claim",
    "kubernetes_persistent_volume_claim_v1", "kubernetes_secret", "kubernetes_secret_v1",
    "kubernetes_stateful_set", "kubernetes_stateful_set_v1",
    // Others, by the words that their types end with
    "*_bucket", "*_database", "*_database_cluster", "*_database_instance", "*_db_cluster",
    "*_db_instance", "*_disk", "*_file_system", "*_filesystem", "*_volume", "github_repository",
    "gitlab_project", "random_password", "tls_private_key", "vault_mount"};

constexpr std::string_view kNameTypes[] = {
    // AWS
    "aws_alb", "aws_api_gateway_domain_name", "aws_api_gateway_rest_api", "aws_apigatewayv2_api",
    "aws_apigatewayv2_domain_name", "aws_cloudfront_distribution", "aws_eip", "aws_elb",
    "aws_globalaccelerator_accelerator", "aws_lb", "aws_route53_record", "aws_route53_zone",
    "aws_route53domains_*",
    // Azure
    "azurerm_dns_*_record", "azurerm_dns_zone", "azurerm_private_dns_*_record",
    "azurerm_private_dns_zone", "azurerm_public_ip", "azurerm_public_ip_prefix",
    "azurerm_traffic_manager_profile",
    // Google
    "google_compute_address", "google_compute_global_address", "google_dns_managed_zone",
    "google_dns_record_set",
    // Kubernetes
    "kubernetes_ingress", "kubernetes_ingress_v1", "kubernetes_service", "kubernetes_service_v1",
    // Others
    "*_dns_record", "*_dns_zone", "*_floating_ip", "*_zone_record", "cloudflare_record",
    "cloudflare_zone", "digitalocean_domain", "digitalocean_record", "random_id", "random_pet",
    "random_string", "random_uuid"};

bool MatchesAny(const auto& patterns, std::string_view type) {
  return std::ranges::any_of(
      patterns, [&](std::string_view pattern) { return check::MatchesPattern(pattern, type); });
}

}  // namespace

void HeldTypes::Add(Holds holds, std::vector<std::string> patterns) {
  given_.push_back({holds, std::move(patterns)});
  known_.clear();
}

Holds HeldTypes::Of(std::string_view type) const {
  const auto [at, is_first] = known_.try_emplace(std::string(type), Holds::kNothing);
  if (is_first) {
    at.value() = Search(type);
  }
  return at->second;
}

Holds HeldTypes::Search(std::string_view type) const {
  for (const Given& given : std::views::reverse(given_)) {
    if (MatchesAny(given.patterns, type)) {
      return given.holds;
    }
  }
  if (!defaults_) {
    return Holds::kNothing;
  }
  if (MatchesAny(kDataTypes, type)) {
    return Holds::kData;
  }
  return MatchesAny(kNameTypes, type) ? Holds::kNames : Holds::kNothing;
}

}  // namespace kinu::risks
